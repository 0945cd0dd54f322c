// Mixtures of experts: every token goes through the layers of k experts, whose results are summed
// with the token's weights. The operators differ in how weights are stored and tokens are routed.
#ifndef ONNXCMP_OPS_CONTRIB_EXPERTS_EXPERTS_H_
#define ONNXCMP_OPS_CONTRIB_EXPERTS_EXPERTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/functions/activation.h"
#include "ops/contrib/experts/gated_activation.h"

namespace onnxcmp {

struct ExpertAttributes {
  // Where SwiGLU's two halves come from: fc1 and fc3, or fc1 alone.
  enum class Fusion : uint8_t { kNone, kInterleaved, kConcatenated };

  bool gated() const { return swiglu || geglu; }
  bool fused() const { return gated() && fusion != Fusion::kNone; }

  int64_t k = 1;
  bool normalize = false;
  bool swiglu = false;
  Activation activation;  // of what has no gate
  Fusion fusion = Fusion::kNone;
  SwiGluOptions gate;  // with swiglu
  bool geglu = false;  // as swiglu, but h = gelu(g) * l, gelu being its tanh form
};
// Reads k, normalize_routing_weights, activation_type and use_sparse_mixer, and those of SwiGLU
// unless `knows_swiglu` is false. use_sparse_mixer has no effect, as in onnxruntime's CPU kernels.
absl::StatusOr<ExpertAttributes> ReadExpertAttributes(const KernelInit& node,
                                                      bool knows_swiglu = true);

// y = x * W^T + bias of one layer of every expert.
template <typename C>
class ExpertLayer {
 public:
  virtual ~ExpertLayer() = default;
  // y (rows x outputs) = x (rows x inputs) * W[expert]^T.
  virtual absl::Status Multiply(const KernelContext& ctx, int64_t expert, int64_t rows, const C* x,
                                C* y) const = 0;

  int64_t inputs = 0;
  int64_t outputs = 0;
  Tensor bias;  // C, experts x outputs; undefined: none
};

// Weights of floats, experts x outputs x inputs, or experts x inputs x outputs.
template <typename C>
class DenseExpertLayer final : public ExpertLayer<C> {
 public:
  // `weights` is contiguous.
  DenseExpertLayer(Tensor weights, int64_t outputs, int64_t inputs, bool inputs_first);
  absl::Status Multiply(const KernelContext& ctx, int64_t expert, int64_t rows, const C* x,
                        C* y) const override;

 private:
  Tensor weights_;
  bool inputs_first_;
};

// Input `index` as a layer's bias, which may be left out: an error if it is not experts x outputs.
template <typename C>
absl::Status LoadExpertBias(const KernelContext& ctx, int index, int64_t experts,
                            ExpertLayer<C>* layer);

// Tokens and experts of input 0, (tokens, hidden) or (batch, sequence, hidden), and input 1, the
// router's (tokens, experts).
struct ExpertSizes {
  int64_t tokens = 0;
  int64_t hidden = 0;
  int64_t experts = 0;
};
absl::StatusOr<ExpertSizes> CheckExpertInputs(const KernelContext& ctx, int64_t k);

// The k experts of every token and their weights.
template <typename C>
struct Routes {
  std::vector<int64_t> experts;
  std::vector<C> weights;
};
enum class ExpertTies : uint8_t {
  kHigherFirst,  // of equal scores that of the higher number; NaN is greater than all
  kLowerFirst,   // that of the lower number; NaN is less than all
};
// The k experts with the greatest scores, greatest first. The weights are the scores.
template <typename C>
Routes<C> ChooseExperts(const C* scores, const ExpertSizes& sizes, int64_t k,
                        ExpertTies ties = ExpertTies::kHigherFirst);
// Divides the k weights of every token by their sum.
template <typename C>
void NormalizeRoutes(int64_t k, Routes<C>* routes);

// MoE as it is documented: the scores are the softmax of input 1.
template <typename C>
absl::StatusOr<Routes<C>> SoftmaxRoutes(const KernelContext& ctx, const ExpertSizes& sizes,
                                        const ExpertAttributes& attributes);

// MoE (weights are experts x outputs x inputs) or ShardedMoE (`inputs_first`).
absl::Status RunDenseExperts(KernelContext& ctx, const ExpertAttributes& attributes,
                             bool inputs_first);

// For every token the sum over its experts of weight * fc2(h), with
//   h = activation(fc1(x)), times fc3(x) if there is an fc3 (null: none)
//   swiglu: h of gated_activation.h, g and l being fc1(x) and fc3(x), or the halves of fc1(x)
//   geglu:  h = gelu(g) * l of the halves
// Sets output 0 with one rounding.
template <typename C>
absl::Status RunExperts(KernelContext& ctx, const ExpertAttributes& attributes,
                        const ExpertSizes& sizes, const Routes<C>& routes,
                        const ExpertLayer<C>& fc1, const ExpertLayer<C>& fc2,
                        const ExpertLayer<C>* fc3);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_EXPERTS_EXPERTS_H_
