// The operators that can run: kernels by domain, name and schema version, and the schemas of
// domains that ONNX does not know.
#ifndef ONNXCMP_EVALUATOR_KERNELS_OP_REGISTRY_H_
#define ONNXCMP_EVALUATOR_KERNELS_OP_REGISTRY_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"

namespace onnx {
class OpSchema;
class ISchemaRegistry;
}  // namespace onnx

namespace onnxcmp {

// The schema versions that a kernel implements: since_versions, listed as {1, 6, 13}, or
// AllVersions.
class Versions {
 public:
  Versions(std::initializer_list<int> listed) : listed_(listed) {}

 private:
  friend class OpRegistry;
  friend Versions AllVersions(int first, int last);
  std::vector<int> listed_;
  bool range_ = false;  // all from listed_[0] to listed_[1]
};

// Every version of the operator's schema from `first` to `last`, which are since_versions
// themselves, for operators whose kernel is the same in all of them. `last` is given so that what
// a newer ONNX changes is not taken for implemented.
inline Versions AllVersions(int first, int last) {
  Versions versions = {first, last};
  versions.range_ = true;
  return versions;
}

class OpRegistry {
 public:
  OpRegistry();
  ~OpRegistry();
  OpRegistry(OpRegistry&&) noexcept;
  OpRegistry& operator=(OpRegistry&&) noexcept;

  // The same registry once more: what is added to one is in both. For those who need the schemas
  // and kernels longer than whoever made them.
  OpRegistry Share() const { return OpRegistry(impl_); }

  // True if an operator that is added to one is in both.
  bool IsSharedWith(const OpRegistry& other) const { return impl_ == other.impl_; }

  // Adding a version twice is a mistake of ours (it aborts), and so are AllVersions of a schema
  // that has no such first or last version. Versions of ONNX's domains that the ONNX in use does
  // not know yet are left out: it may be older than the one we are written for. The maker is called
  // once a node when a plan is made.
  void Add(absl::string_view domain, absl::string_view op_type, const Versions& versions,
           KernelMaker maker);
  // For operators whose kernel reads no attribute.
  void Add(absl::string_view domain, absl::string_view op_type, const Versions& versions,
           absl::Status (*kernel)(KernelContext&));

  // A schema for a domain that is not ONNX's. ONNX's own registry is never changed.
  void AddSchema(onnx::OpSchema schema);
  // The same, made when it is first asked for. `make` gives the schema of that domain, name and
  // since_version.
  void AddSchema(const std::string& domain, const std::string& name, int since_version,
                 std::function<onnx::OpSchema()> make);

  // ONNX's schemas with ours in front, as ONNX's checker and shape inference take them.
  const onnx::ISchemaRegistry& schemas() const;

  // The schema that (domain, op_type) resolves to under this opset version; null if there is none.
  const onnx::OpSchema* FindSchema(absl::string_view domain, absl::string_view op_type,
                                   int64_t opset_version) const;
  // The greatest opset version of a domain that we know; 0 if we do not know the domain.
  int64_t LatestVersion(absl::string_view domain) const;

  // Null if there is no kernel for this since_version.
  const KernelMaker* FindKernel(absl::string_view domain, absl::string_view op_type,
                                int since_version) const;

  struct Entry {
    std::string domain;
    std::string op_type;
    std::vector<int> versions;  // ascending
  };
  std::vector<Entry> Entries() const;  // sorted by domain and name

 private:
  // The since_versions that `versions` stands for.
  std::vector<int> Listed(absl::string_view domain, absl::string_view op_type,
                          const Versions& versions) const;

  struct Impl;
  explicit OpRegistry(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_KERNELS_OP_REGISTRY_H_
