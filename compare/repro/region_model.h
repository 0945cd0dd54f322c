// A region of a side as a model.
#ifndef ONNXCMP_COMPARE_REPRO_REGION_MODEL_H_
#define ONNXCMP_COMPARE_REPRO_REGION_MODEL_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/causes/repro.h"
#include "compare/graphs/region.h"
#include "compare/graphs/side_graph.h"
#include "compare/streams/result_stream.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class RegionModel {
 public:
  // What is in the model instead of an entry.
  struct Constant {
    int result = kNone;
    Value value;
    bool own = false;  // the value that the side itself has: a Constant node can stay
  };
  struct Input {
    int result = kNone;
    std::string name;        // of the model's input
    Value value;             // the input's
    Value wanted;            // the same in the type and the shape that the region reads
    CommonForm form;         // of the input's value
    CommonForm wanted_form;  // of the region's
  };

  // `result`: the model's only output. All must outlive the object.
  RegionModel(const SideGraph& graph, const Model& model, const Region& region, int result)
      : graph_(graph), model_(model), region_(region), result_(result) {}

  // Names that the region gives to values, those of graphs inside its nodes too: no input may be
  // called so. `constants`: of the entries, those that will be constants.
  absl::flat_hash_set<std::string> Names(const std::vector<Constant>& constants) const;

  // `inputs`: of the whole model, which may be more than the region reads. `given` is the output's
  // value, for its type.
  absl::StatusOr<Model> Make(const std::vector<ReproInput>& inputs,
                             const std::vector<Input>& entries,
                             const std::vector<Constant>& constants, const Value& given) const;

 private:
  using NameMap = absl::flat_hash_map<std::string, std::string>;

  // Nodes that make of an input what the region reads. Returns that value's name.
  absl::StatusOr<std::string> Convert(const Input& entry, absl::flat_hash_set<std::string>* taken,
                                      Model* made) const;
  const std::string& NameOf(int result) const { return graph_.result(result).name; }

  const SideGraph& graph_;
  const Model& model_;
  const Region& region_;
  const int result_;
};

// `wanted`, or with a number after it where that is taken. Is taken then.
std::string NewName(const std::string& wanted, absl::flat_hash_set<std::string>* taken);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPRO_REGION_MODEL_H_
