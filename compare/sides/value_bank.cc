#include "compare/sides/value_bank.h"

#include "absl/functional/function_ref.h"

namespace onnxcmp {
namespace {

void ForEachBuffer(const Value& value, absl::FunctionRef<void(const Buffer&)> visit) {
  const auto of_tensor = [&](const Tensor& tensor) {
    if (tensor.buffer() != nullptr) visit(*tensor.buffer());
  };
  if (value.is_tensor()) {
    of_tensor(value.tensor());
  } else if (value.is_sequence()) {
    for (const Value& element : value.sequence().elements) ForEachBuffer(element, visit);
  } else if (value.is_optional()) {
    if (value.optional().element != nullptr) ForEachBuffer(*value.optional().element, visit);
  } else if (value.is_map()) {
    of_tensor(value.map().keys);
    if (value.map().values != nullptr) ForEachBuffer(*value.map().values, visit);
  } else if (value.is_sparse()) {
    of_tensor(value.sparse().values);
    of_tensor(value.sparse().indices);
  }
}

int64_t BytesOf(const Buffer& buffer) {
  int64_t bytes = buffer.size();
  for (const std::string& text : buffer.strings()) {
    bytes += static_cast<int64_t>(sizeof(std::string) + text.capacity());
  }
  return bytes;
}

}  // namespace

void LeaveMemoryAccount(const Value& value) {
  ForEachBuffer(value, [](const Buffer& buffer) { buffer.LeaveAccount(); });
}

int64_t BytesHeldBy(const Value& value) {
  int64_t bytes = 0;
  ForEachBuffer(value, [&](const Buffer& buffer) { bytes += BytesOf(buffer); });
  return bytes;
}

bool ValueBank::Keep(int result, const Value& value, bool free) {
  if (values_.contains(result)) return true;
  if (!free) {
    int64_t more = 0;
    ForEachBuffer(value, [&](const Buffer& buffer) {
      if (!users_.contains(&buffer)) more += BytesOf(buffer);
    });
    if (more > budget_ - bytes_) return false;
    ForEachBuffer(value, [&](const Buffer& buffer) {
      if (users_[&buffer]++ == 0) bytes_ += BytesOf(buffer);
    });
  }
  LeaveMemoryAccount(value);
  values_.emplace(result, Kept{value, free});
  return true;
}

const Value* ValueBank::Find(int result) const {
  const auto it = values_.find(result);
  return it != values_.end() ? &it->second.value : nullptr;
}

void ValueBank::Drop(int result) {
  const auto it = values_.find(result);
  if (it == values_.end()) return;
  if (!it->second.free) {
    ForEachBuffer(it->second.value, [&](const Buffer& buffer) {
      const auto user = users_.find(&buffer);
      if (--user->second == 0) {
        bytes_ -= BytesOf(buffer);
        users_.erase(user);
      }
    });
  }
  values_.erase(it);
}

void ValueBank::Clear() {
  values_.clear();
  users_.clear();
  bytes_ = 0;
}

}  // namespace onnxcmp
