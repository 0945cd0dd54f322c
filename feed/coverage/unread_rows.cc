#include "feed/coverage/unread_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/constants.h"
#include "record/graphs/differing_rows.h"

namespace onnxcmp {
namespace {

// True if a node selects rows of its input in a slot.
bool TakesRows(const StreamNode& node, size_t slot) {
  constexpr std::array<absl::string_view, 4> kOperators = {"Gather", "GatherElements", "GatherND",
                                                           "Slice"};
  if (!node.path.empty()) return false;
  if (node.domain == kMicrosoftDomain && node.op_type == "EmbedLayerNormalization") {
    return slot >= 2 && slot <= 4;
  }
  return slot == 0 && node.domain.empty() &&
         std::find(kOperators.begin(), kOperators.end(), node.op_type) != kOperators.end();
}

// True if its output has the rows of its first input.
bool HandsRowsOn(const StreamNode& node) {
  constexpr std::array<absl::string_view, 4> kOperators = {"Identity", "Cast", "DequantizeLinear",
                                                           "Unsqueeze"};
  return node.path.empty() && node.domain.empty() && !node.outputs.empty() &&
         node.outputs[0] != kNone &&
         std::find(kOperators.begin(), kOperators.end(), node.op_type) != kOperators.end();
}

// A constant that only such nodes read, and their results.
struct Table {
  const StreamResult* result = nullptr;
  std::vector<const StreamNode*> readers;
  std::vector<const StreamResult*> taken;
};

// By name.
std::map<std::string, Table> TablesOf(const ResultStream& stream) {
  // By result: the constant whose rows it has.
  std::vector<int> table_of(stream.results.size(), kNone);
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    const bool made_of_nothing = result.node != kNone &&
                                 stream.nodes[Index(result.node)].inputs.empty() &&
                                 stream.nodes[Index(result.node)].captures.empty();
    if (result.path.empty() && result.shape.has_value() && !result.shape->empty() &&
        (result.kind == ResultKind::kInitializer || made_of_nothing)) {
      table_of[r] = static_cast<int>(r);
    }
  }
  std::vector<bool> otherwise(stream.results.size());
  std::map<std::string, Table> tables;
  for (const StreamNode& node : stream.nodes) {
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const int r = node.inputs[slot];
      const int of = r == kNone ? kNone : table_of[Index(r)];
      if (of == kNone) continue;
      if (slot == 0 && HandsRowsOn(node)) {
        table_of[Index(node.outputs[0])] = of;
        continue;
      }
      if (!TakesRows(node, slot) || node.outputs.empty() || node.outputs[0] == kNone) {
        otherwise[Index(of)] = true;
        continue;
      }
      Table& table = tables[stream.results[Index(of)].name];
      table.result = &stream.results[Index(of)];
      table.readers.push_back(&node);
      table.taken.push_back(&stream.results[Index(node.outputs[0])]);
    }
    for (const int r : node.captures) {
      if (r != kNone && table_of[Index(r)] != kNone) otherwise[Index(table_of[Index(r)])] = true;
    }
  }
  for (size_t r = 0; r < stream.results.size(); ++r) {
    if (otherwise[r]) tables.erase(stream.results[r].name);
  }
  return tables;
}

using NamedTable = std::pair<const std::string, Table>;

// The table of the same name, else the only one of its shape on either side.
const NamedTable* PartnerOf(const NamedTable& table, const std::map<std::string, Table>& own,
                            const std::map<std::string, Table>& others) {
  if (const auto it = others.find(table.first); it != others.end()) return &*it;
  const auto is_alike = [&](const NamedTable& other) {
    return other.second.result->shape == table.second.result->shape;
  };
  if (std::count_if(own.begin(), own.end(), is_alike) != 1) return nullptr;
  if (std::count_if(others.begin(), others.end(), is_alike) != 1) return nullptr;
  return &*std::find_if(others.begin(), others.end(), is_alike);
}

bool TookTheSame(const Table& left, const Table& right) {
  if (left.taken.size() != right.taken.size()) return false;
  for (size_t i = 0; i < left.taken.size(); ++i) {
    if (left.readers[i]->op_type != right.readers[i]->op_type ||
        left.taken[i]->fingerprint.content != right.taken[i]->fingerprint.content) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<UnreadRows> FindUnreadRows(const ResultStream& left, const ResultStream& right,
                                       const PerSide<const Graph*>& graphs) {
  const std::map<std::string, Table> ours = TablesOf(left);
  if (ours.empty()) return {};
  const std::map<std::string, Table> theirs = TablesOf(right);
  std::vector<UnreadRows> unread;
  for (const NamedTable& table : ours) {
    const NamedTable* partner = PartnerOf(table, ours, theirs);
    if (partner == nullptr) continue;
    const Fingerprint& own = table.second.result->fingerprint;
    if (own.content == partner->second.result->fingerprint.content ||
        !TookTheSame(table.second, partner->second)) {
      continue;
    }
    const Tensor* l = FindConstant(*graphs.left, table.first);
    const Tensor* r = FindConstant(*graphs.right, partner->first);
    if (l == nullptr || r == nullptr) continue;
    const Shape& shape = *table.second.result->shape;
    const auto axis = std::find_if(shape.begin(), shape.end(), [](int64_t dim) { return dim > 1; });
    if (axis == shape.end()) continue;
    const std::vector<int64_t> rows = RowsThatDiffer(*l, *r, axis - shape.begin());
    if (rows.empty()) continue;
    unread.push_back({table.first, partner->first, rows.back(), RowsText(rows)});
  }
  return unread;
}

std::string UnreadText(const UnreadRows& unread) {
  const bool one = absl::StartsWith(unread.rows, "row ");
  return absl::StrCat(unread.rows, " of `", unread.left, "`",
                      unread.left == unread.right ? "" : absl::StrCat(" | `", unread.right, "`"),
                      one ? " differs and was" : " differ and were",
                      " not read by any input that was tried");
}

std::vector<UnreadRows> UnreadByBoth(const std::vector<UnreadRows>& one,
                                     const std::vector<UnreadRows>& other) {
  std::vector<UnreadRows> both;
  std::copy_if(one.begin(), one.end(), std::back_inserter(both), [&](const UnreadRows& unread) {
    return std::find(other.begin(), other.end(), unread) != other.end();
  });
  return both;
}

}  // namespace onnxcmp
