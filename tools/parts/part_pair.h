// Parts of two models between results that both have, with the left's values as inputs.
#ifndef ONNXCMP_TOOLS_PARTS_PART_PAIR_H_
#define ONNXCMP_TOOLS_PARTS_PART_PAIR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "record/base/per_side.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"

namespace onnxcmp {

// Names of a pair of results.
using NamePair = PerSide<std::string>;

// True if the pair can be cut: on both sides a result, or an input, of the main graph, and the
// values are tensors of the same type and shape.
bool CanCutAt(const PerSide<const KnownModel*>& known, const NamePair& pair);

// Nodes that make Constants, copies of constants, sizes and axes out of constants alone.
enum class SmallConstants { kAsTheyAre, kFolded };

// The parts of both that compute `to` from `from`. Inputs of pairs have the left's name and the
// left's value on both sides, unless the name is taken on the right; inputs of one side alone keep
// its own. Outputs keep the names of their sides. InvalidArgument if a side computes nothing
// there.
absl::StatusOr<PerSide<FedModel>> MakePartPair(const PerSide<const KnownModel*>& known,
                                               const std::vector<NamePair>& from,
                                               const std::vector<NamePair>& to,
                                               SmallConstants constants);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_PART_PAIR_H_
