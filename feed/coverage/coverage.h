// Coverage of two models by sets of inputs: finds nodes with trivial values (all equal, all NaN),
// activations and choices of which only one side was seen, branches that were not taken.
#ifndef ONNXCMP_FEED_COVERAGE_COVERAGE_H_
#define ONNXCMP_FEED_COVERAGE_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct UnexercisedNode {
  SideId side = SideId::kLeft;
  std::string op_type;
  std::string name;  // its first output's, after the path
  std::string why;   // "nothing below 0 came in"
};

struct Coverage {
  int64_t nodes = 0;  // nodes of both models that depend on inputs
  std::vector<UnexercisedNode> missing;
};

// "loop[3]/if[then_branch]/y" without the numbers.
std::string WithoutIterations(const std::string& path);

// Nodes are identified by their path without iterations: these count together.
class CoverageCounter {
 public:
  void Add(const ResultStream& stream, SideId side);

  // Notes that a node, by its name in Coverage, has parts that nothing came to.
  void AddMissing(SideId side, const std::string& name, const std::string& why);
  // Notes that an input whose first axis is open was given so many rows.
  void AddRows(SideId side, const std::string& input, int64_t rows);

  // The number of covered cases; grows with new coverage.
  int64_t seen() const;
  Coverage Get() const;

 private:
  struct Entry {
    std::string op_type;
    std::string name;
    uint32_t wanted = 0;
    uint32_t met = 0;
    std::string parts;  // why else it is missing
  };
  void AddLoops(const ResultStream& stream, SideId side, const std::vector<bool>& live);
  Entry& EntryOf(SideId side, absl::string_view path, absl::string_view op_type,
                 absl::string_view name);

  PerSide<std::vector<Entry>> entries_;
  PerSide<absl::flat_hash_map<std::string, size_t>> places_;  // index among the entries
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_COVERAGE_COVERAGE_H_
