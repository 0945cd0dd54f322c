// A region of a side as a model.
#ifndef ONNXCMP_COMPARE_CAUSES_REPRO_REGION_MODEL_H_
#define ONNXCMP_COMPARE_CAUSES_REPRO_REGION_MODEL_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/causes/repro.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/region.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class RegionModel {
 public:
  // A constant of the model in place of an entry.
  struct Constant {
    int result = kNone;
    Value value;
    bool own = false;  // it is the side's own value: a Constant node can stay
  };
  struct Input {
    int result = kNone;
    std::string name;        // the model input's name
    Value value;             // the input's value
    Value wanted;            // the same in the type and the shape that the region reads
    CommonForm form;         // the input value's form
    CommonForm wanted_form;  // the form that the region reads
  };

  // `result`: the model's only output. All must outlive the object.
  RegionModel(const SideGraph& graph, const Model& model, const Region& region, int result)
      : graph_(graph), model_(model), region_(region), result_(result) {}

  // Names that the region gives to values, including its nodes' subgraphs: no input may have one of
  // these. `constants`: the entries that will be constants.
  absl::flat_hash_set<std::string> Names(const std::vector<Constant>& constants) const;

  // `inputs`: all inputs of the model, which may be more than the region reads. `given`: the
  // output's value, for its type.
  absl::StatusOr<Model> Make(const std::vector<ReproInput>& inputs,
                             const std::vector<Input>& entries,
                             const std::vector<Constant>& constants, const Value& given) const;

 private:
  using NameMap = absl::flat_hash_map<std::string, std::string>;

  // Adds nodes that convert an input to the value that the region reads. Returns that value's name.
  absl::StatusOr<std::string> Convert(const Input& entry, absl::flat_hash_set<std::string>* taken,
                                      Model* made) const;
  const std::string& NameOf(int result) const { return graph_.result(result).name; }

  const SideGraph& graph_;
  const Model& model_;
  const Region& region_;
  const int result_;
};

// `wanted`, or with a number after it if that is taken. The name is taken afterwards.
std::string NewName(const std::string& wanted, absl::flat_hash_set<std::string>* taken);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPRO_REGION_MODEL_H_
