#include "evaluator/kernels/lazy_schemas.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"
#include "onnx/common/constants.h"
#include "onnx/defs/operator_sets.h"
#include "onnx/defs/operator_sets_ml.h"
#include "onnx/defs/operator_sets_preview.h"
#include "onnx/defs/operator_sets_training.h"

namespace onnxcmp {
namespace {

struct OnnxSchema {
  absl::string_view set;  // as ONNX names the classes of its schemas
  const char* name;
  int since_version;
  onnx::OpSchema (*make)();
};

constexpr OnnxSchema kOnnxSchemas[] = {
#include "evaluator/kernels/onnx_schemas.inc"
};

// Previews are of two domains, which only their schemas tell.
std::string DomainOf(const OnnxSchema& schema) {
  if (schema.set == "Onnx") return onnx::ONNX_DOMAIN;
  if (schema.set == "OnnxML") return onnx::AI_ONNX_ML_DOMAIN;
  return schema.make().domain();
}

}  // namespace

const LazySchemas& LazySchemas::OfOnnx() {
  // Never destroyed: whoever has a schema may keep it.
  static const LazySchemas* const kSchemas = [] {
    auto* all = new LazySchemas;
    for (const OnnxSchema& schema : kOnnxSchemas) {
      all->Add(DomainOf(schema), schema.name, schema.since_version, schema.make);
    }
    return all;
  }();
  return *kSchemas;
}

void LazySchemas::Add(const std::string& domain, const std::string& name, int since_version,
                      SchemaMaker make) {
  Versions& versions = versions_[{domain, name}];
  OC_CHECK(versions.try_emplace(since_version, Entry{std::move(make), nullptr}).second);
  int64_t& latest = latest_[domain];
  latest = std::max<int64_t>(latest, since_version);
}

const LazySchemas::Versions::value_type* LazySchemas::Newest(const std::string& domain,
                                                             const std::string& name,
                                                             int version) const {
  const auto versions = versions_.find(std::pair(domain, name));
  if (versions == versions_.end()) return nullptr;
  const auto after = versions->second.upper_bound(version);
  return after == versions->second.begin() ? nullptr : &*std::prev(after);
}

int LazySchemas::SinceVersion(const std::string& domain, const std::string& name,
                              int version) const {
  const auto* newest = Newest(domain, name, version);
  return newest == nullptr ? 0 : newest->first;
}

const onnx::OpSchema* LazySchemas::Find(const std::string& domain, const std::string& name,
                                        int version) const {
  const auto* newest = Newest(domain, name, version);
  if (newest == nullptr) return nullptr;
  const absl::MutexLock lock(&made_mutex_);
  std::unique_ptr<const onnx::OpSchema>& made = newest->second.made;
  if (made == nullptr) {
    auto schema = std::make_unique<onnx::OpSchema>(newest->second.make());
    schema->Finalize();
    made = std::move(schema);
  }
  return made.get();
}

int64_t LazySchemas::LatestVersion(const std::string& domain) const {
  const auto latest = latest_.find(domain);
  return latest == latest_.end() ? 0 : latest->second;
}

}  // namespace onnxcmp
