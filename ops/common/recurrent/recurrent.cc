#include "ops/common/recurrent/recurrent.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"
#include "ops/common/shapes/check_shape.h"
#include "ops/common/shapes/views.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {

absl::StatusOr<RecurrentOptions> ReadRecurrentOptions(const KernelInit& node, int gates,
                                                      absl::Span<const char* const> activations) {
  RecurrentOptions options;
  options.gates = gates;
  const std::string direction = node.String("direction");
  if (direction == "bidirectional") {
    options.directions = 2;
  } else if (direction == "reverse") {
    options.reverse = true;
  } else if (direction != "forward" && direction != "foward") {  // the default of GRU-1, as spelt
    return absl::InvalidArgumentError(absl::StrCat("unknown direction '", direction, "'"));
  }
  options.hidden_size = node.Int("hidden_size", -1);
  options.clip = node.Float("clip", 0);
  if (node.Has("clip") && !(options.clip > 0)) {
    return absl::InvalidArgumentError(absl::StrCat("clip ", options.clip, " is not positive"));
  }
  if (node.version() >= 14) {
    const int64_t layout = node.Int("layout");
    if (layout != 0 && layout != 1) {
      return absl::InvalidArgumentError(absl::StrCat("layout ", layout, " is neither 0 nor 1"));
    }
    options.batch_first = layout == 1;
  }
  if (node.version() < 7) {
    node.Ignore("output_sequence");  // a name for Y says as much
  }
  std::vector<std::string> names = node.Strings("activations");
  const size_t needed = activations.size() * static_cast<size_t>(options.directions);
  if (names.empty()) {
    for (int i = 0; i < options.directions; ++i) {
      names.insert(names.end(), activations.begin(), activations.end());
    }
  } else if (names.size() == 2 * needed && options.directions == 1) {
    names.resize(needed);  // the default of RNN is that of two directions
  } else if (names.size() != needed) {
    return absl::InvalidArgumentError(
        absl::StrCat(names.size(), " activations given, ", needed, " needed"));
  }
  OC_ASSIGN_OR_RETURN(options.activations,
                      ParseRecurrentActivations(names, node.Floats("activation_alpha"),
                                                node.Floats("activation_beta")));
  return options;
}

template <typename C>
void ClipActivationInput(float clip, C* x, int64_t count) {
  if (clip == 0) {
    return;
  }
  const C bound = clip;
  for (int64_t i = 0; i < count; ++i) {
    x[i] = x[i] < -bound ? -bound : x[i] > bound ? bound : x[i];
  }
}
template void ClipActivationInput<float>(float, float*, int64_t);
template void ClipActivationInput<double>(float, double*, int64_t);

namespace {

// The axes of a rank 3 tensor swapped between (batch, n, ...) and (n, batch, ...).
Tensor SwapFirstAxes(const Tensor& t) {
  return t.Strided({t.dim(1), t.dim(0), t.dim(2)}, {t.strides()[1], t.strides()[0], t.strides()[2]},
                   t.offset());
}

}  // namespace

template <typename C>
absl::StatusOr<Tensor> LoadParameter(const KernelContext& ctx, int index, absl::string_view name,
                                     absl::Span<const int64_t> shape) {
  OC_RETURN_IF_ERROR(CheckShape(name, ctx.Input(index), shape));
  return LoadTensor<C>(ctx, ctx.Input(index));
}
template absl::StatusOr<Tensor> LoadParameter<float>(const KernelContext&, int, absl::string_view,
                                                     absl::Span<const int64_t>);
template absl::StatusOr<Tensor> LoadParameter<double>(const KernelContext&, int, absl::string_view,
                                                      absl::Span<const int64_t>);

template <typename C>
absl::StatusOr<RecurrentParameters<C>> LoadSequences(const KernelContext& ctx,
                                                     const RecurrentOptions& options,
                                                     int64_t hidden) {
  RecurrentParameters<C> p;
  if (ctx.Input(0).rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have rank 3, not ", ctx.Input(0).TypeString()));
  }
  const Tensor x = options.batch_first ? SwapFirstAxes(ctx.Input(0)) : ctx.Input(0);
  OC_ASSIGN_OR_RETURN(p.x, LoadTensor<C>(ctx, x));
  p.steps = x.dim(0);
  p.batch = x.dim(1);
  p.input_size = x.dim(2);
  p.hidden = hidden;
  if (options.hidden_size != -1 && options.hidden_size != hidden) {
    return absl::InvalidArgumentError(
        absl::StrCat("hidden_size is ", options.hidden_size, ", but R is for ", hidden));
  }
  // Guards products of sizes; no real layer comes near.
  if (hidden > int64_t{1} << 40) {
    return absl::InvalidArgumentError(absl::StrCat("a hidden size of ", hidden));
  }
  const Shape b_shape = {options.directions, 2 * options.gates * hidden};
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(p.b, LoadParameter<C>(ctx, 3, "B", b_shape));
  } else {
    OC_ASSIGN_OR_RETURN(p.b, ctx.Allocate(kDTypeOf<C>, b_shape));
    std::fill_n(p.b.template mutable_data<C>(), p.b.num_elements(), C{0});
  }
  if (ctx.HasInput(4)) {
    OC_ASSIGN_OR_RETURN(p.lengths, ctx.IntsInput(4));
    OC_RETURN_IF_ERROR(CheckShape("sequence_lens", ctx.Input(4), {p.batch}));
    for (int64_t length : p.lengths) {
      if (length < 0 || length > p.steps) {
        return absl::InvalidArgumentError(
            absl::StrCat("sequence length ", length, " is not in [0, ", p.steps, "]"));
      }
    }
  }
  return p;
}
template absl::StatusOr<RecurrentParameters<float>> LoadSequences<float>(const KernelContext&,
                                                                         const RecurrentOptions&,
                                                                         int64_t);
template absl::StatusOr<RecurrentParameters<double>> LoadSequences<double>(const KernelContext&,
                                                                           const RecurrentOptions&,
                                                                           int64_t);

template <typename C>
absl::StatusOr<RecurrentParameters<C>> LoadRecurrentParameters(const KernelContext& ctx,
                                                               const RecurrentOptions& options) {
  if (ctx.Input(0).rank() != 3 || ctx.Input(2).rank() != 3) {
    return absl::InvalidArgumentError("X, W and R must have rank 3");
  }
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p,
                      LoadSequences<C>(ctx, options, ctx.Input(2).dim(2)));
  const int64_t rows = options.gates * p.hidden;
  OC_ASSIGN_OR_RETURN(p.w, LoadParameter<C>(ctx, 1, "W", {options.directions, rows, p.input_size}));
  OC_ASSIGN_OR_RETURN(p.r, LoadParameter<C>(ctx, 2, "R", {options.directions, rows, p.hidden}));
  // A product of few rows is several times as fast if R^T is what lies in rows; every step makes
  // one, so that some steps pay for the copy.
  constexpr int64_t kWorthwhileSteps = 8;
  if (p.steps >= kWorthwhileSteps) {
    OC_ASSIGN_OR_RETURN(const Tensor transposed, ctx.Contiguous(Permuted(p.r, {0, 2, 1})));
    p.r = Permuted(transposed, {0, 2, 1});
  }
  return p;
}
template absl::StatusOr<RecurrentParameters<float>> LoadRecurrentParameters<float>(
    const KernelContext&, const RecurrentOptions&);
template absl::StatusOr<RecurrentParameters<double>> LoadRecurrentParameters<double>(
    const KernelContext&, const RecurrentOptions&);

namespace {

// Where a row of `hidden` elements lies in an output: step, direction, batch entry.
struct OutputRows {
  Tensor tensor;  // undefined: not wanted
  int64_t step_stride = 0, direction_stride = 0, batch_stride = 0;
  std::byte* data = nullptr;

  template <typename C>
  void Store(int64_t step, int64_t direction, int64_t entry, const C* row, int64_t hidden) const {
    if (data != nullptr) {
      StoreElements(tensor.dtype(), row, hidden, data,
                    step * step_stride + direction * direction_stride + entry * batch_stride);
    }
  }
};

absl::StatusOr<OutputRows> AllocateSequence(const KernelContext& ctx, bool batch_first,
                                            int64_t steps, int64_t directions, int64_t batch,
                                            int64_t hidden) {
  OutputRows rows;
  if (batch_first) {
    OC_ASSIGN_OR_RETURN(rows.tensor,
                        ctx.Allocate(ctx.Input(0).dtype(), {batch, steps, directions, hidden}));
    rows.direction_stride = hidden;
    rows.step_stride = directions * hidden;
    rows.batch_stride = rows.tensor.strides()[0];
  } else {
    OC_ASSIGN_OR_RETURN(rows.tensor,
                        ctx.Allocate(ctx.Input(0).dtype(), {steps, directions, batch, hidden}));
    rows.batch_stride = hidden;
    rows.direction_stride = rows.tensor.strides()[1];
    rows.step_stride = rows.tensor.strides()[0];
  }
  rows.data = rows.tensor.mutable_raw_data();
  return rows;
}

absl::StatusOr<OutputRows> AllocateState(const KernelContext& ctx, bool batch_first,
                                         int64_t directions, int64_t batch, int64_t hidden) {
  OutputRows rows;
  const Shape shape =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  OC_ASSIGN_OR_RETURN(rows.tensor, ctx.Allocate(ctx.Input(0).dtype(), shape));
  rows.batch_stride = rows.tensor.strides()[batch_first ? 0 : 1];
  rows.direction_stride = rows.tensor.strides()[batch_first ? 1 : 0];
  rows.data = rows.tensor.mutable_raw_data();
  return rows;
}

// The states (directions, batch, hidden) before the first step.
template <typename C>
absl::StatusOr<Tensor> InitialState(const KernelContext& ctx, const RecurrentOptions& options,
                                    int index, absl::string_view name, int64_t batch,
                                    int64_t hidden) {
  const Shape shape = {options.directions, batch, hidden};
  OC_ASSIGN_OR_RETURN(Tensor state, ctx.Allocate(kDTypeOf<C>, shape));
  if (!ctx.HasInput(index)) {
    std::fill_n(state.mutable_data<C>(), state.num_elements(), C{0});
    return state;
  }
  const Tensor& given = ctx.Input(index);
  const Shape expected = options.batch_first ? Shape{batch, options.directions, hidden} : shape;
  OC_RETURN_IF_ERROR(CheckShape(name, given, expected));
  OC_ASSIGN_OR_RETURN(Tensor contiguous,
                      ctx.Contiguous(options.batch_first ? SwapFirstAxes(given) : given));
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
               state.mutable_data<C>());
  return state;
}

// Results, as far as they are wanted.
struct RecurrentOutputs {
  OutputRows y;
  OutputRows last[2];  // Y_h, Y_c
};

template <typename C>
absl::StatusOr<RecurrentOutputs> AllocateOutputs(KernelContext& ctx,
                                                 const RecurrentOptions& options,
                                                 const RecurrentParameters<C>& p,
                                                 bool with_cell_state) {
  RecurrentOutputs outputs;
  if (ctx.HasOutput(0)) {
    OC_ASSIGN_OR_RETURN(outputs.y, AllocateSequence(ctx, options.batch_first, p.steps,
                                                    options.directions, p.batch, p.hidden));
  }
  for (int i = 0; i < (with_cell_state ? 2 : 1); ++i) {
    if (ctx.HasOutput(1 + i)) {
      OC_ASSIGN_OR_RETURN(outputs.last[i], AllocateState(ctx, options.batch_first,
                                                         options.directions, p.batch, p.hidden));
    }
  }
  return outputs;
}

absl::Status EmitOutputs(KernelContext& ctx, RecurrentOutputs outputs) {
  if (ctx.HasOutput(0)) {
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(outputs.y.tensor)));
  }
  for (int i = 0; i < 2; ++i) {
    if (outputs.last[i].data != nullptr) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(1 + i, std::move(outputs.last[i].tensor)));
    }
  }
  return absl::OkStatus();
}

// Memory that all directions work in.
struct RecurrentBuffers {
  // Inputs are projected for several steps at a time: enough rows for a fast product, few enough
  // for the cache.
  int64_t chunk = 0;
  Tensor gates;  // (directions, chunk, batch, gates * hidden)
  Tensor h[2];   // the state before a step and the one after it; at first the initial one
  Tensor c[2];   // not defined without a cell state
  Tensor zeros;  // (hidden)
};

template <typename C>
absl::StatusOr<RecurrentBuffers> AllocateBuffers(KernelContext& ctx,
                                                 const RecurrentOptions& options,
                                                 const RecurrentParameters<C>& p,
                                                 bool with_cell_state) {
  RecurrentBuffers buffers;
  buffers.chunk =
      std::clamp<int64_t>(256 / std::max<int64_t>(1, p.batch), 1, std::max<int64_t>(1, p.steps));
  OC_ASSIGN_OR_RETURN(buffers.gates,
                      ctx.Allocate(kDTypeOf<C>, {options.directions, buffers.chunk, p.batch,
                                                 options.gates * p.hidden}));
  OC_ASSIGN_OR_RETURN(buffers.h[0],
                      InitialState<C>(ctx, options, 5, "initial_h", p.batch, p.hidden));
  OC_ASSIGN_OR_RETURN(buffers.h[1], ctx.Allocate(kDTypeOf<C>, buffers.h[0].shape()));
  if (with_cell_state) {
    OC_ASSIGN_OR_RETURN(buffers.c[0],
                        InitialState<C>(ctx, options, 6, "initial_c", p.batch, p.hidden));
    OC_ASSIGN_OR_RETURN(buffers.c[1], ctx.Allocate(kDTypeOf<C>, buffers.c[0].shape()));
  }
  OC_ASSIGN_OR_RETURN(buffers.zeros, ctx.Allocate(kDTypeOf<C>, {p.hidden}));
  std::fill_n(buffers.zeros.mutable_data<C>(), p.hidden, C{0});
  return buffers;
}

// One direction's buffers: states swap places after every step.
template <typename C>
struct DirectionState {
  C* previous = nullptr;
  C* next = nullptr;
};

}  // namespace

template <typename C>
absl::Status RunRecurrent(KernelContext& ctx, const RecurrentOptions& options,
                          const RecurrentParameters<C>& p, const std::vector<C>& bias,
                          bool with_cell_state,
                          absl::FunctionRef<void(const RecurrentStep<C>&)> cell) {
  const int64_t directions = options.directions;
  const int64_t batch = p.batch;
  const int64_t hidden = p.hidden;
  const int64_t columns = options.gates * hidden;
  OC_RETURN_IF_ERROR(CheckWork(ctx, static_cast<double>(p.steps) * static_cast<double>(batch) *
                                        static_cast<double>(directions * columns) *
                                        static_cast<double>(hidden)));
  OC_ASSIGN_OR_RETURN(RecurrentOutputs outputs, AllocateOutputs(ctx, options, p, with_cell_state));
  OC_ASSIGN_OR_RETURN(RecurrentBuffers buffers,
                      AllocateBuffers<C>(ctx, options, p, with_cell_state));
  const int64_t chunk = buffers.chunk;
  OutputRows& y = outputs.y;
  OutputRows(&last)[2] = outputs.last;
  const C* zeros = buffers.zeros.data<C>();
  C* gates_data = buffers.gates.mutable_data<C>();
  C* states[2][2] = {{buffers.h[0].mutable_data<C>(), buffers.h[1].mutable_data<C>()},
                     {nullptr, nullptr}};
  if (with_cell_state) {
    for (int i = 0; i < 2; ++i) states[1][i] = buffers.c[i].mutable_data<C>();
  }

  auto run_direction = [&](int64_t d) {
    const int direction = static_cast<int>(d);
    const bool backwards = options.reverse || d == 1;
    C* projected = gates_data + d * chunk * batch * columns;
    DirectionState<C> h{states[0][0] + d * batch * hidden, states[0][1] + d * batch * hidden};
    DirectionState<C> c;
    if (with_cell_state) {
      c = {states[1][0] + d * batch * hidden, states[1][1] + d * batch * hidden};
    }
    for (int64_t done = 0; done < p.steps; done += chunk) {
      const int64_t part = std::min(chunk, p.steps - done);
      const int64_t first = backwards ? p.steps - done - part : done;
      for (int64_t row = 0; row < part * batch; ++row) {
        std::copy_n(bias.data() + d * columns, columns, projected + row * columns);
      }
      Gemm<C>(ctx.pool(), {part * batch, columns, p.input_size},
              {p.x.template data<C>() + first * batch * p.input_size, p.input_size, 1},
              {p.W(direction), 1, p.input_size}, {projected, columns, 0, {}, true});
      for (int64_t i = 0; i < part; ++i) {
        const int64_t offset = backwards ? part - 1 - i : i;
        const int64_t step = first + offset;
        cell({direction, step, projected + offset * batch * columns, h.previous, h.next, c.previous,
              c.next});
        for (int64_t entry = 0; entry < batch; ++entry) {
          const bool ended = !p.lengths.empty() && step >= p.lengths[static_cast<size_t>(entry)];
          if (ended) {
            std::copy_n(h.previous + entry * hidden, hidden, h.next + entry * hidden);
            if (with_cell_state) {
              std::copy_n(c.previous + entry * hidden, hidden, c.next + entry * hidden);
            }
          }
          y.Store(step, d, entry, ended ? zeros : h.next + entry * hidden, hidden);
        }
        std::swap(h.previous, h.next);
        std::swap(c.previous, c.next);
      }
    }
    for (int64_t entry = 0; entry < batch; ++entry) {
      const bool nothing =
          p.steps == 0 || (!p.lengths.empty() && p.lengths[static_cast<size_t>(entry)] == 0);
      last[0].Store(0, d, entry, nothing ? zeros : h.previous + entry * hidden, hidden);
      if (with_cell_state) {
        last[1].Store(0, d, entry, nothing ? zeros : c.previous + entry * hidden, hidden);
      }
    }
  };
  if (hidden > 0) {
    ctx.pool().ParallelFor(directions, run_direction);
  }
  return EmitOutputs(ctx, std::move(outputs));
}
template absl::Status RunRecurrent<float>(KernelContext&, const RecurrentOptions&,
                                          const RecurrentParameters<float>&,
                                          const std::vector<float>&, bool,
                                          absl::FunctionRef<void(const RecurrentStep<float>&)>);
template absl::Status RunRecurrent<double>(KernelContext&, const RecurrentOptions&,
                                           const RecurrentParameters<double>&,
                                           const std::vector<double>&, bool,
                                           absl::FunctionRef<void(const RecurrentStep<double>&)>);

}  // namespace onnxcmp
