#include "evaluator/kernels/op_registry.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/kernels/lazy_schemas.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// (domain, name), the order in which entries are listed.
using OpName = std::pair<std::string, std::string>;

// Our schemas and ONNX's. Where ONNX knows the domain, its schemas win; ours then only fill gaps,
// for operators that real files carry under a domain or a version that never had them.
class Schemas final : public onnx::ISchemaRegistry {
 public:
  void Add(const std::string& domain, const std::string& name, int since_version,
           SchemaMaker make) {
    ours_.Add(domain, name, since_version, std::move(make));
  }

  const onnx::OpSchema* GetSchema(const std::string& name, const int version,
                                  const std::string& domain) const override {
    for (const LazySchemas* const schemas : {&LazySchemas::OfOnnx(), &ours_}) {
      const onnx::OpSchema* schema = schemas->Find(domain, name, version);
      if (schema != nullptr) return schema;
    }
    return OfOthers(domain, name, version);
  }

  // The since_version of the same; 0 if there is none.
  int SinceVersion(const std::string& domain, const std::string& name, int version) const {
    for (const LazySchemas* const schemas : {&LazySchemas::OfOnnx(), &ours_}) {
      const int since = schemas->SinceVersion(domain, name, version);
      if (since > 0) return since;
    }
    const onnx::OpSchema* others = OfOthers(domain, name, version);
    return others == nullptr ? 0 : others->SinceVersion();
  }

  int64_t LatestVersion(const std::string& domain) const {
    return std::max(DomainVersion(domain), ours_.LatestVersion(domain));
  }

  // The newest version of a domain of ONNX's; 0 for other domains.
  static int64_t DomainVersion(const std::string& domain) {
    const auto& ranges = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    auto found = ranges.find(domain);
    return found == ranges.end() ? 0 : found->second.second;
  }

 private:
  // Schemas that others have added to ONNX's registry. It makes all of ONNX's schemas when it is
  // first asked, and is asked last.
  static const onnx::OpSchema* OfOthers(const std::string& domain, const std::string& name,
                                        int version) {
    if (DomainVersion(domain) == 0) return nullptr;
    return onnx::OpSchemaRegistry::Instance()->GetSchema(name, version, domain);
  }

  LazySchemas ours_;
};

}  // namespace

struct OpRegistry::Impl {
  std::map<OpName, std::map<int, KernelMaker>> kernels;
  Schemas schemas;
};

OpRegistry::OpRegistry() : impl_(std::make_shared<Impl>()) {}
OpRegistry::~OpRegistry() = default;
OpRegistry::OpRegistry(OpRegistry&&) noexcept = default;
OpRegistry& OpRegistry::operator=(OpRegistry&&) noexcept = default;

std::vector<int> OpRegistry::Listed(absl::string_view domain, absl::string_view op_type,
                                    const Versions& versions) const {
  const int64_t known = Schemas::DomainVersion(std::string(domain));
  const auto since_version = [this, domain = std::string(domain),
                              name = std::string(op_type)](int64_t version) {
    return impl_->schemas.SinceVersion(domain, name, static_cast<int>(version));
  };
  std::vector<int> listed;
  if (!versions.range_) {
    for (const int version : versions.listed_) {
      // ONNX 1.23 brought a version of Attention for an opset that 1.22 has without it.
      const int since = version <= known ? since_version(version) : 0;
      const bool is_known = version <= known && (since == 0 || since == version);
      if (known == 0 || is_known) listed.push_back(version);
    }
    return listed;
  }
  const int first = versions.listed_[0];
  int last = versions.listed_[1];
  if (known > 0 && last > known) {
    last = since_version(known);
    if (last == 0) return listed;
  }
  for (int version = last; version >= first; version = listed.back() - 1) {
    listed.push_back(since_version(version));
    OC_CHECK(listed.back() > 0);
  }
  OC_CHECK(!listed.empty() && listed.front() == last && listed.back() == first);
  return listed;
}

void OpRegistry::Add(absl::string_view domain, absl::string_view op_type, const Versions& versions,
                     KernelMaker maker) {
  for (int version : Listed(domain, op_type, versions)) {
    OC_CHECK(impl_->kernels[OpName(domain, op_type)].emplace(version, maker).second);
  }
}

void OpRegistry::Add(absl::string_view domain, absl::string_view op_type, const Versions& versions,
                     absl::Status (*kernel)(KernelContext&)) {
  Add(domain, op_type, versions, KernelMaker([kernel](const KernelInit&) { return kernel; }));
}

void OpRegistry::AddSchema(onnx::OpSchema schema) {
  const std::string domain = schema.domain();
  const std::string name = schema.Name();
  const int since_version = schema.SinceVersion();
  AddSchema(domain, name, since_version, [schema = std::move(schema)] { return schema; });
}

void OpRegistry::AddSchema(const std::string& domain, const std::string& name, int since_version,
                           std::function<onnx::OpSchema()> make) {
  impl_->schemas.Add(domain, name, since_version, std::move(make));
}

const onnx::ISchemaRegistry& OpRegistry::schemas() const { return impl_->schemas; }

const onnx::OpSchema* OpRegistry::FindSchema(absl::string_view domain, absl::string_view op_type,
                                             int64_t opset_version) const {
  if (opset_version < 1) {
    return nullptr;
  }
  int version = static_cast<int>(std::min<int64_t>(opset_version, std::numeric_limits<int>::max()));
  return impl_->schemas.GetSchema(std::string(op_type), version, std::string(domain));
}

int64_t OpRegistry::LatestVersion(absl::string_view domain) const {
  return impl_->schemas.LatestVersion(std::string(domain));
}

const KernelMaker* OpRegistry::FindKernel(absl::string_view domain, absl::string_view op_type,
                                          int since_version) const {
  auto makers = impl_->kernels.find(OpName(domain, op_type));
  if (makers == impl_->kernels.end()) {
    return nullptr;
  }
  auto maker = makers->second.find(since_version);
  return maker == makers->second.end() ? nullptr : &maker->second;
}

std::vector<OpRegistry::Entry> OpRegistry::Entries() const {
  std::vector<Entry> entries;
  for (const auto& [name, makers] : impl_->kernels) {
    Entry& entry = entries.emplace_back();
    entry.domain = name.first;
    entry.op_type = name.second;
    for (const auto& [version, maker] : makers) {
      entry.versions.push_back(version);
    }
  }
  return entries;
}

}  // namespace onnxcmp
