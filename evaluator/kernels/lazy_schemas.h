// Schemas by domain, name and since_version. Each is made when it is first asked for: to make all
// of ONNX's and of com.microsoft's takes longer than a small comparison.
#ifndef ONNXCMP_EVALUATOR_KERNELS_LAZY_SCHEMAS_H_
#define ONNXCMP_EVALUATOR_KERNELS_LAZY_SCHEMAS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {

using SchemaMaker = std::function<onnx::OpSchema()>;

class LazySchemas {
 public:
  // ONNX's own. They last as long as the process, as those of ONNX's registry do.
  static const LazySchemas& OfOnnx();

  // Adding a version twice is a mistake of ours. Not while others look schemas up.
  void Add(const std::string& domain, const std::string& name, int since_version, SchemaMaker make);

  // The newest version of the operator that this opset version has; 0 if there is none.
  int SinceVersion(const std::string& domain, const std::string& name, int version) const;
  // Its schema, which stays where it is; null if there is none.
  const onnx::OpSchema* Find(const std::string& domain, const std::string& name, int version) const;

  // The greatest since_version of a domain; 0 if nothing is known of it.
  int64_t LatestVersion(const std::string& domain) const;

 private:
  struct Entry {
    SchemaMaker make;
    mutable std::unique_ptr<const onnx::OpSchema> made;
  };
  using Versions = std::map<int, Entry>;

  // Null if there is none.
  const Versions::value_type* Newest(const std::string& domain, const std::string& name,
                                     int version) const;

  absl::flat_hash_map<std::pair<std::string, std::string>, Versions> versions_;  // by domain, name
  absl::flat_hash_map<std::string, int64_t> latest_;
  mutable absl::Mutex made_mutex_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_KERNELS_LAZY_SCHEMAS_H_
