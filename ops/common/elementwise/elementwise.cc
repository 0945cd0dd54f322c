#include "ops/common/elementwise/elementwise.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/strided_copy.h"

namespace onnxcmp {
namespace {

// Elements are a multiple of this in every call of a strip function: whole packets of every type.
constexpr int64_t kPadding = 16;
// Elements that one thread computes at a time: many strips, so that starting it costs little.
constexpr int64_t kTask = 64 * vec::kMaxStrip;

size_t SizeOf(ComputeClass c) {
  switch (c) {
    case ComputeClass::kFloat:
      return sizeof(float);
    case ComputeClass::kDouble:
      return sizeof(double);
    case ComputeClass::kInt64:
    case ComputeClass::kUint64:
      return sizeof(int64_t);
    case ComputeClass::kBool:
      return sizeof(bool);
    default:
      return sizeof(std::complex<double>);
  }
}

// True if the bytes of a dtype are values of the compute class. (Not those of bool, where a file
// may hold other bytes than 0 and 1.)
bool IsStorageOf(ComputeClass c, DType dtype) {
  switch (c) {
    case ComputeClass::kFloat:
      return dtype == DType::kFloat;
    case ComputeClass::kDouble:
      return dtype == DType::kDouble;
    case ComputeClass::kInt64:
    case ComputeClass::kUint64:
      return dtype == DType::kInt64 || dtype == DType::kUint64;
    case ComputeClass::kComplex:
      return dtype == DType::kComplex128;
    default:
      return false;
  }
}

// Calls f with a null pointer of the class's type.
template <typename F>
void WithType(ComputeClass c, F f) {
  switch (c) {
    case ComputeClass::kFloat:
      return f(static_cast<float*>(nullptr));
    case ComputeClass::kDouble:
      return f(static_cast<double*>(nullptr));
    case ComputeClass::kInt64:
      return f(static_cast<int64_t*>(nullptr));
    case ComputeClass::kUint64:
      return f(static_cast<uint64_t*>(nullptr));
    case ComputeClass::kBool:
      return f(static_cast<bool*>(nullptr));
    default:
      return f(static_cast<std::complex<double>*>(nullptr));
  }
}

template <typename C>
void LoadRun(DType dtype, const std::byte* data, const StridedRuns::Run& run, bool is_storage,
             C* out) {
  if (run.stride == 0) {
    LoadElements(dtype, data, run.offset, 1, out);
    std::fill(out + 1, out + run.count, out[0]);
  } else if (is_storage) {
    // Short runs come often; this is cheaper than the general way.
    const C* elements = reinterpret_cast<const C*>(data) + run.offset;
    if (run.stride == 1) {
      std::memcpy(static_cast<void*>(out), elements, static_cast<size_t>(run.count) * sizeof(C));
    } else {
      for (int64_t i = 0; i < run.count; ++i) {
        out[i] = elements[i * run.stride];
      }
    }
  } else {
    LoadStrided(dtype, data, run.offset, run.stride, run.count, out);
  }
}

int64_t RoundUp(int64_t count) { return (count + kPadding - 1) / kPadding * kPadding; }

// An input, as far as all its strips have it in common.
struct Operand {
  Operand(const Tensor& tensor, absl::Span<const int64_t> shape, ComputeClass c)
      : tensor(tensor),
        dtype(tensor.dtype()),
        data(tensor.raw_data()),
        compute(c),
        is_storage(IsStorageOf(c, dtype)),
        runs(shape, BroadcastStrides(tensor, shape)) {}

  Tensor tensor;  // keeps the data
  DType dtype;
  const std::byte* data;
  ComputeClass compute;
  bool is_storage;
  StridedRuns runs;
};

// An input as one thread reads it.
class StripReader {
 public:
  StripReader(const Operand& operand, std::byte* buffer, int64_t begin)
      : operand_(operand), runs_(operand.runs), buffer_(buffer), position_(begin) {
    if (runs_.is_one_element()) {
      WithType(operand_.compute, [&](auto* type) {
        auto* out = reinterpret_cast<decltype(type)>(buffer_);
        LoadRun(operand_.dtype, operand_.data, {0, 0, vec::kMaxStrip}, false, out);
      });
    } else if (!runs_.is_contiguous()) {
      runs_.Seek(begin);
    }
  }

  // The next `count` elements, followed by copies of the first one up to a multiple of kPadding.
  // Valid until the next call.
  const void* Next(int64_t count) {
    if (runs_.is_one_element()) {
      return buffer_;
    }
    const bool whole_packets = count % kPadding == 0;
    StridedRuns::Run run;
    if (runs_.is_contiguous()) {
      run = {position_, 1, count};
      position_ += count;
    } else {
      run = runs_.Next(count);
    }
    if (operand_.is_storage && whole_packets && run.stride == 1 && run.count == count) {
      return operand_.data + static_cast<size_t>(run.offset) * SizeOf(operand_.compute);
    }
    // One element, which often serves many strips.
    const bool is_repeated = run.stride == 0 && run.count == count;
    if (is_repeated && run.offset == repeated_) {
      return buffer_;
    }
    repeated_ = is_repeated ? run.offset : kNone;
    WithType(operand_.compute, [&](auto* type) {
      auto* out = reinterpret_cast<decltype(type)>(buffer_);
      if (is_repeated) run.count = vec::kMaxStrip;
      LoadRun(operand_.dtype, operand_.data, run, operand_.is_storage, out);
      for (int64_t done = run.count; done < count; done += run.count) {
        run = runs_.Next(count - done);
        LoadRun(operand_.dtype, operand_.data, run, operand_.is_storage, out + done);
      }
      std::fill(out + count, out + RoundUp(count), out[0]);
    });
    return buffer_;
  }

 private:
  static constexpr int64_t kNone = -1;
  const Operand& operand_;
  StridedRuns runs_;
  std::byte* buffer_;
  int64_t position_;
  int64_t repeated_ = kNone;  // the element whose copies fill the buffer
};

// kMaxStrip elements for each array, 64-byte aligned.
class StripBuffers {
 public:
  StripBuffers(size_t arrays, size_t element_size)
      : stride_(element_size * static_cast<size_t>(vec::kMaxStrip)),
        bytes_(new (std::align_val_t{64}) std::byte[arrays * stride_]) {}
  std::byte* operator[](size_t i) { return bytes_.get() + i * stride_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { operator delete[](bytes, std::align_val_t{64}); }
  };
  size_t stride_;
  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace

absl::StatusOr<Tensor> RunStripsIn(const KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                                   const StripKernel& kernel, const void* f, DType output_dtype,
                                   Overflow overflow) {
  const ComputeClass input_class = kernel.input_class;
  const ComputeClass output_class = kernel.output_class;
  OC_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(inputs));
  OC_ASSIGN_OR_RETURN(Tensor output, ctx.Allocate(output_dtype, shape));
  const int64_t elements = output.num_elements();
  if (elements == 0) {
    return output;
  }
  std::vector<Operand> operands;
  operands.reserve(inputs.size());
  for (const Tensor* input : inputs) {
    operands.emplace_back(*input, shape, input_class);
    // A transposed view read row by row touches a cache line an element; copied in blocks it does
    // not, which pays for the copy several times.
    const int64_t stride = operands.back().runs.inner_stride();
    if (stride != 0 && stride != 1 && input->num_elements() >= kTask) {
      OC_ASSIGN_OR_RETURN(Tensor copy, ctx.Allocate(input->dtype(), input->shape()));
      CopyToContiguous(*input, &copy, &ctx.pool());
      operands.back() = Operand(copy, shape, input_class);
    }
  }
  std::byte* const output_data = output.mutable_raw_data();
  const bool output_is_storage = IsStorageOf(output_class, output_dtype);
  const size_t output_size = SizeOf(output_class);
  const size_t largest = std::max(SizeOf(input_class), output_size);

  ctx.pool().ParallelRanges(elements, kTask, [&](int64_t begin, int64_t end) {
    StripBuffers buffers(operands.size() + 1, largest);
    std::byte* const staged_output = buffers[operands.size()];
    absl::InlinedVector<StripReader, 3> readers;
    for (size_t i = 0; i < operands.size(); ++i) {
      readers.emplace_back(operands[i], buffers[i], begin);
    }
    std::vector<const void*> strips(operands.size());
    for (int64_t at = begin; at < end; at += vec::kMaxStrip) {
      const int64_t count = std::min(vec::kMaxStrip, end - at);
      for (size_t i = 0; i < readers.size(); ++i) {
        strips[i] = readers[i].Next(count);
      }
      if (output_is_storage && count % kPadding == 0) {
        kernel.run(f, strips.data(), output_data + static_cast<size_t>(at) * output_size, count);
        continue;
      }
      kernel.run(f, strips.data(), staged_output, RoundUp(count));
      WithType(output_class, [&](auto* type) {
        StoreElements(output_dtype, reinterpret_cast<decltype(type)>(staged_output), count,
                      output_data, at, overflow);
      });
    }
  });
  return output;
}

absl::StatusOr<Tensor> RunStrips(const KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                                 absl::Span<const StripKernel> kernels, const void* f,
                                 DType output_dtype) {
  const DType dtype = inputs[0]->dtype();
  const auto find = [&](ComputeClass wanted) {
    return std::find_if(kernels.begin(), kernels.end(),
                        [&](const StripKernel& kernel) { return kernel.input_class == wanted; });
  };
  auto kernel = find(ComputeClassOf(dtype));
  if (kernel == kernels.end() && IsSignedInteger(dtype)) {
    kernel = find(ComputeClass::kUint64);
  }
  if (kernel == kernels.end()) {
    return NoComputeClass(dtype);
  }
  return RunStripsIn(ctx, inputs, *kernel, f, output_dtype, Overflow::kIeee);
}

absl::Status EmitStrips(KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                        absl::Span<const StripKernel> kernels, const void* f, DType output_dtype) {
  if (output_dtype == DType::kUndefined) {
    output_dtype = inputs[0]->dtype();
  }
  OC_ASSIGN_OR_RETURN(Tensor output, RunStrips(ctx, inputs, kernels, f, output_dtype));
  return ctx.SetOutput(0, std::move(output));
}

Kernel WithLegacyBroadcast(
    const KernelInit& node,
    std::function<absl::Status(KernelContext&, const Tensor& a, const Tensor& b)> run) {
  if (node.version() >= 7) {
    return
        [run = std::move(run)](KernelContext& ctx) { return run(ctx, ctx.Input(0), ctx.Input(1)); };
  }
  const LegacyBroadcast legacy = LegacyBroadcast::FromNode(node);
  return [run = std::move(run), legacy](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor b, legacy.Align(ctx.Input(0), ctx.Input(1)));
    return run(ctx, ctx.Input(0), b);
  };
}

Kernel LegacyStrips(const KernelInit& node, absl::Span<const StripKernel> kernels,
                    DType output_dtype) {
  return WithLegacyBroadcast(node, [=](KernelContext& ctx, const Tensor& a, const Tensor& b) {
    const char no_captures = 0;
    return EmitStrips(ctx, {&a, &b}, kernels, &no_captures, output_dtype);
  });
}

Kernel FoldStrips(const KernelInit& node, absl::Span<const StripKernel> kernels) {
  const bool broadcasts = node.version() >= 8;
  return [=](KernelContext& ctx) -> absl::Status {
    std::vector<const Tensor*> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (!ctx.HasInput(i)) {
        return absl::InvalidArgumentError(absl::StrCat("input ", i, " is left out"));
      }
      inputs.push_back(&ctx.Input(i));
      if (!broadcasts && inputs[0]->shape() != inputs.back()->shape()) {
        return absl::InvalidArgumentError(
            absl::StrCat("before opset 8 inputs are not broadcast, but they are ",
                         inputs[0]->TypeString(), " and ", inputs.back()->TypeString()));
      }
    }
    const size_t count = inputs.size();
    return EmitStrips(ctx, inputs, kernels, &count, DType::kUndefined);
  };
}

}  // namespace onnxcmp
