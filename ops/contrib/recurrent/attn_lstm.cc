#include <algorithm>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/products/gemm.h"
#include "ops/common/recurrent/lstm.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

enum Inputs { kW = 1, kR = 2, kQueryW = 8, kMemoryW, kV, kMemory, kMemoryLengths, kAttentionW };

// The attention over the memory that a state of one direction asks for.
template <typename C>
class Memory {
 public:
  static absl::StatusOr<Memory> Load(const KernelContext& ctx, int64_t directions, int64_t batch,
                                     int64_t hidden) {
    for (int index : {kQueryW, kMemoryW, kV, kMemory}) {
      if (!ctx.HasInput(index)) return absl::InvalidArgumentError("QW, MW, V and M are needed");
    }
    Memory m;
    m.hidden_ = hidden;
    const Tensor& memory = ctx.Input(kMemory);
    const Tensor& query = ctx.Input(kQueryW);
    if (memory.rank() != 3 || query.rank() != 3) {
      return absl::InvalidArgumentError(absl::StrCat(
          "M and QW must have rank 3, not ", memory.TypeString(), " and ", query.TypeString()));
    }
    m.steps_ = memory.dim(1);
    m.depth_ = memory.dim(2);
    m.width_ = query.dim(2);
    OC_ASSIGN_OR_RETURN(m.memory_,
                        LoadParameter<C>(ctx, kMemory, "M", {batch, m.steps_, m.depth_}));
    OC_ASSIGN_OR_RETURN(m.query_w_,
                        LoadParameter<C>(ctx, kQueryW, "QW", {directions, hidden, m.width_}));
    OC_ASSIGN_OR_RETURN(const Tensor memory_w,
                        LoadParameter<C>(ctx, kMemoryW, "MW", {directions, m.depth_, m.width_}));
    OC_ASSIGN_OR_RETURN(m.v_, LoadParameter<C>(ctx, kV, "V", {directions, m.width_}));
    m.size_ = m.depth_;
    if (ctx.HasInput(kAttentionW)) {
      const Tensor& w = ctx.Input(kAttentionW);
      m.size_ = w.rank() == 3 ? w.dim(2) : 0;
      OC_ASSIGN_OR_RETURN(
          m.attention_w_,
          LoadParameter<C>(ctx, kAttentionW, "AW", {directions, hidden + m.depth_, m.size_}));
    }
    m.lengths_.assign(static_cast<size_t>(batch), m.steps_);
    if (ctx.HasInput(kMemoryLengths)) {
      if (ctx.Input(kMemoryLengths).shape() != Shape{batch}) {
        return absl::InvalidArgumentError(absl::StrCat("memory_seq_lens is ",
                                                       ctx.Input(kMemoryLengths).TypeString(),
                                                       ", but the batch has ", batch));
      }
      OC_ASSIGN_OR_RETURN(m.lengths_, ctx.IntsInput(kMemoryLengths));
      for (int64_t length : m.lengths_) {
        if (length < 0 || length > m.steps_) {
          return absl::InvalidArgumentError(
              absl::StrCat("memory length ", length, " is not in [0, ", m.steps_, "]"));
        }
      }
    }
    // KEYS = M * MW, of every direction.
    OC_ASSIGN_OR_RETURN(m.keys_,
                        ctx.Allocate(kDTypeOf<C>, {directions, batch, m.steps_, m.width_}));
    const int64_t rows = batch * m.steps_;
    Gemm<C>(ctx.pool(), {rows, m.width_, m.depth_, directions},
            {m.memory_.template data<C>(), m.depth_, 1, 0},
            {memory_w.data<C>(), m.width_, 1, m.depth_ * m.width_},
            {m.keys_.template mutable_data<C>(), m.width_, rows * m.width_});
    return m;
  }

  // The length of what Attend returns.
  int64_t size() const { return size_; }

  // out (size) = the attention that state h of one entry of the batch gets.
  void Attend(const ThreadPool& pool, int direction, int64_t entry, const C* h, C* out) const {
    using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
    using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
    const int64_t length = lengths_[static_cast<size_t>(entry)];
    const auto row_times = [&](int64_t n, int64_t k, const C* row, const Tensor& w, C* to) {
      Gemm<C>(pool, {1, n, k}, {row, k, 1}, {w.template data<C>() + direction * k * n, n, 1},
              {to, n});
    };
    std::vector<C> query(static_cast<size_t>(width_));
    std::vector<C> energy(static_cast<size_t>(width_));
    std::vector<C> weights(static_cast<size_t>(length));
    row_times(width_, hidden_, h, query_w_, query.data());
    const C* keys = keys_.template data<C>() +
                    (direction * static_cast<int64_t>(lengths_.size()) + entry) * steps_ * width_;
    for (int64_t t = 0; t < length; ++t) {
      Row(energy.data(), width_) = ConstRow(keys + t * width_, width_) + Row(query.data(), width_);
      vec::Tanh(energy.data(), width_, energy.data());
      Row(energy.data(), width_) *= ConstRow(v_.template data<C>() + direction * width_, width_);
      weights[static_cast<size_t>(t)] = LaneSum(energy.data(), width_);
    }
    if (length > 0) SoftmaxLane(weights.data(), length, weights.data());
    std::vector<C> joined(static_cast<size_t>(hidden_ + depth_));
    C* context = joined.data() + hidden_;
    std::copy_n(h, hidden_, joined.data());
    Gemm<C>(pool, {1, depth_, length}, {weights.data(), length, 1},
            {memory_.template data<C>() + entry * steps_ * depth_, depth_, 1}, {context, depth_});
    if (attention_w_.defined()) {
      row_times(size_, hidden_ + depth_, joined.data(), attention_w_, out);
    } else {
      std::copy_n(context, depth_, out);
    }
  }

 private:
  int64_t hidden_ = 0, steps_ = 0, depth_ = 0, width_ = 0, size_ = 0;
  Tensor memory_, query_w_, v_, attention_w_, keys_;
  std::vector<int64_t> lengths_;
};

// The columns [first, first + count) of rows of `width`, after `to_column` columns of `to`.
template <typename C>
void CopyColumns(const Tensor& from, int64_t first, int64_t count, int64_t to_column, Tensor* to) {
  const int64_t from_width = from.dim(2);
  const int64_t to_width = to->dim(2);
  for (int64_t row = 0; row < from.dim(0) * from.dim(1); ++row) {
    std::copy_n(from.data<C>() + row * from_width + first, count,
                to->mutable_data<C>() + row * to_width + to_column);
  }
}

template <typename C>
absl::Status Run(KernelContext& ctx, const LstmOptions& options) {
  if (ctx.Input(kR).rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("R must have rank 3, not ", ctx.Input(kR).TypeString()));
  }
  const int64_t hidden = ctx.Input(kR).dim(2);
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p, LoadSequences<C>(ctx, options, hidden));
  const int64_t directions = options.directions;
  OC_ASSIGN_OR_RETURN(const Memory<C> memory, Memory<C>::Load(ctx, directions, p.batch, hidden));

  // W is for X and the attention, which depends on H as what R is for does.
  const int64_t rows = options.gates * hidden;
  const int64_t joined = hidden + memory.size();
  OC_ASSIGN_OR_RETURN(
      const Tensor w,
      LoadParameter<C>(ctx, kW, "W", {directions, rows, p.input_size + memory.size()}));
  OC_ASSIGN_OR_RETURN(const Tensor r, LoadParameter<C>(ctx, kR, "R", {directions, rows, hidden}));
  OC_ASSIGN_OR_RETURN(p.w, ctx.Allocate(kDTypeOf<C>, {directions, rows, p.input_size}));
  OC_ASSIGN_OR_RETURN(p.r, ctx.Allocate(kDTypeOf<C>, {directions, rows, joined}));
  CopyColumns<C>(w, 0, p.input_size, 0, &p.w);
  CopyColumns<C>(r, 0, hidden, 0, &p.r);
  CopyColumns<C>(w, p.input_size, memory.size(), hidden, &p.r);

  OC_ASSIGN_OR_RETURN(Tensor states, ctx.Allocate(kDTypeOf<C>, {directions, p.batch, joined}));
  C* states_data = states.mutable_data<C>();
  return RunLstm<C>(ctx, options, p, [&](const RecurrentStep<C>& step) {
    C* of_direction = states_data + step.direction * p.batch * joined;
    const bool backwards = options.reverse || step.direction == 1;
    for (int64_t entry = 0; entry < p.batch; ++entry) {
      const int64_t length = p.lengths.empty() ? p.steps : p.lengths[static_cast<size_t>(entry)];
      const bool is_first = backwards ? step.step + 1 >= length : step.step == 0;
      const C* h = step.h_previous + entry * hidden;
      C* row = of_direction + entry * joined;
      std::copy_n(h, hidden, row);
      if (is_first) {
        std::fill_n(row + hidden, memory.size(), C{0});
      } else {
        memory.Attend(ctx.pool(), step.direction, entry, h, row + hidden);
      }
    }
    return static_cast<const C*>(of_direction);
  });
}

// AttnLSTM (com.microsoft 1): LSTM of ai.onnx on concat(X, ATTN) with Bahdanau's attention over the
// memory M:
//   weights = softmax over t of sum(V * tanh(M_t MW + Ht-1 QW)), CONTEXT = sum of weights_t M_t
//   ATTN = CONTEXT, or concat(Ht-1, CONTEXT) AW; 0 at the first step
// Memory beyond memory_seq_lens has no weight.
absl::StatusOr<Kernel> AttnLstm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(LstmOptions options, ReadLstmOptions(node));
  return FloatKernel(0, [options = std::move(options)]<typename C>(KernelContext& ctx) {
    return Run<C>(ctx, options);
  });
}

}  // namespace

void RegisterContribAttnLstm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "AttnLSTM", {1}, AttnLstm);
}

}  // namespace onnxcmp
