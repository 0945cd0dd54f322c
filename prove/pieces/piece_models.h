// The nodes between pairs that are to be shown, as models of their own.
#ifndef ONNXCMP_PROVE_PIECES_PIECE_MODELS_H_
#define ONNXCMP_PROVE_PIECES_PIECE_MODELS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "prove/pieces/shared_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The nodes of one side. Its inputs are unknown tensors, named alike on both sides; its outputs are
// the side's values of all claims, by their names.
struct PieceModel {
  std::shared_ptr<const Model> model;
  std::map<std::string, Value> inputs;  // numbers of the right type and shape
};

// Both sides, at the least sizes that say the same as those of the run. Unimplemented if a node
// reads what a model of its own cannot have.
absl::StatusOr<PerSide<PieceModel>> CutPieces(const PerSide<Side*>& sides,
                                              const SharedValues& values);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_PIECES_PIECE_MODELS_H_
