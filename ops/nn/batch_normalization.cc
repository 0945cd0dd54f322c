#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

struct Options {
  float epsilon = 0;
  float momentum = 0;
  bool training = false;
  bool spatial = true;  // false: every position of a batch entry is a channel
  int version = 0;
};

template <typename C>
std::vector<C> Load(const Tensor& contiguous) {
  std::vector<C> values(static_cast<size_t>(contiguous.num_elements()));
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
               values.data());
  return values;
}

// y = (x - mean) * factor + bias over x as (batch, channels, width).
template <typename C>
void ScaleChannels(const ThreadPool& pool, const Tensor& x, int64_t batch, int64_t width,
                   std::vector<C> mean, std::vector<C> factor, std::vector<C> bias, Tensor& y) {
  using Array = Eigen::Array<C, Eigen::Dynamic, 1>;
  using Strip = Eigen::Map<const Array>;
  constexpr int64_t kNarrow = 16;
  int64_t channels = static_cast<int64_t>(mean.size());
  if (width < kNarrow && width > 1) {
    // Rows would be short: spread the numbers of a channel over its positions instead.
    for (std::vector<C>* values : {&mean, &factor, &bias}) {
      std::vector<C> spread;
      spread.reserve(values->size() * static_cast<size_t>(width));
      for (C value : *values) {
        spread.insert(spread.end(), static_cast<size_t>(width), value);
      }
      *values = std::move(spread);
    }
    channels *= width;
    width = 1;
  }
  // A row has the numbers of one channel, or one number for each element.
  const int64_t length = width == 1 ? channels : width;
  const int64_t rows = width == 1 ? batch : batch * channels;
  auto body = [&](int64_t row, const C* from, C* to) {
    if (width == 1) {
      Eigen::Map<Array>(to, length) =
          (Strip(from, length) - Strip(mean.data(), length)) * Strip(factor.data(), length) +
          Strip(bias.data(), length);
    } else {
      const size_t channel = static_cast<size_t>(row % channels);
      Eigen::Map<Array>(to, length) =
          (Strip(from, length) - mean[channel]) * factor[channel] + bias[channel];
    }
  };
  TransformLanes<C>(pool, x, {rows, length, 1}, y, body);
}

template <typename C>
absl::Status Normalize(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
  if (x.rank() == 0) {
    return absl::InvalidArgumentError("X is a scalar");
  }
  // X as (batch, channels, width); a single dimension is the batch of one channel.
  const int64_t batch = x.dim(0);
  int64_t channels = 1;
  int64_t width = 1;
  for (int i = 1; i < x.rank(); ++i) {
    (i == 1 || !options.spatial ? channels : width) *= x.dim(i);
  }
  Tensor parameters[4];  // scale, B, mean, var
  for (int i = 0; i < 4; ++i) {
    OC_ASSIGN_OR_RETURN(parameters[i], ctx.ContiguousInput(i + 1));
    if (parameters[i].num_elements() != channels) {
      return absl::InvalidArgumentError(absl::StrCat("input ", i + 1, " has ",
                                                     parameters[i].num_elements(),
                                                     " elements, X has ", channels, " channels"));
    }
  }
  std::vector<C> scale = Load<C>(parameters[0]);
  std::vector<C> bias = Load<C>(parameters[1]);
  std::vector<C> mean = Load<C>(parameters[2]);
  std::vector<C> variance = Load<C>(parameters[3]);
  if (options.training) {
    std::vector<C> batch_mean(mean.size(), std::numeric_limits<C>::quiet_NaN());
    std::vector<C> batch_variance = batch_mean;
    if (x.num_elements() > 0) {
      Moments(ctx.pool(), x.Reshaped({batch, channels, width}), {0, 2}, batch_mean, batch_variance);
    }
    const C momentum = options.momentum;
    for (size_t c = 0; c < mean.size(); ++c) {
      mean[c] = mean[c] * momentum + batch_mean[c] * (C{1} - momentum);
      variance[c] = variance[c] * momentum + batch_variance[c] * (C{1} - momentum);
    }
    const std::vector<C>* results[] = {&mean, &variance, &batch_mean, &batch_variance};
    for (int i = 0; i < 4; ++i) {
      if (ctx.HasOutput(i + 1)) {
        const Tensor& like = parameters[2 + i % 2];
        OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(like.dtype(), like.shape()));
        StoreElements(like.dtype(), results[i]->data(), channels, out.mutable_raw_data(), 0);
        OC_RETURN_IF_ERROR(ctx.SetOutput(i + 1, std::move(out)));
      }
    }
    mean = std::move(batch_mean);
    variance = std::move(batch_variance);
  }
  for (size_t c = 0; c < scale.size(); ++c) {
    scale[c] /= std::sqrt(variance[c] + static_cast<C>(options.epsilon));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  ScaleChannels(ctx.pool(), x, batch, width, std::move(mean), std::move(scale), std::move(bias), y);
  return ctx.SetOutput(0, std::move(y));
}

// BatchNormalization (ai.onnx 1, 6, 7, 9, 14, 15):
//   Y = (X - mean) / sqrt(var + epsilon) * scale + B, channel by channel,
// with the given mean and variance, or in training those of the batch (the variance of the
// population) and running_x = x * momentum + batch_x * (1 - momentum).
// Training is what training_mode says, before 14 whether the node names a second output (is_test
// must not contradict it). saved_mean and saved_var are the batch's mean and variance. Before 9,
// spatial = 0 makes every position of a batch entry a channel of its own.
// All is computed in float, or double if any input is, and rounded once.
absl::StatusOr<Kernel> BatchNormalization(const KernelInit& node) {
  Options options;
  options.version = node.version();
  options.epsilon = node.Float("epsilon");
  options.momentum = node.Float("momentum");
  bool has_training_outputs = false;
  for (int i = 1; i < node.num_outputs(); ++i) {
    has_training_outputs |= node.HasOutput(i);
  }
  if (options.version < 9) {
    options.spatial = node.Flag("spatial");
  }
  if (options.version < 14) {
    options.training = has_training_outputs;
  } else {
    options.training = node.Flag("training_mode");
  }
  bool is_test = !options.training;
  if (options.version < 7) {
    is_test |= node.Flag("is_test");
  }
  if (is_test && has_training_outputs) {
    return absl::InvalidArgumentError("only training has other outputs than Y");
  }
  return [=](KernelContext& ctx) -> absl::Status {
    for (int i = 0; i < 5; ++i) {
      if (ctx.Input(i).dtype() == DType::kDouble) {
        return Normalize<double>(ctx, options);
      }
    }
    return Normalize<float>(ctx, options);
  };
}

}  // namespace

void RegisterBatchNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BatchNormalization", {1, 6, 7, 9, 14, 15}, BatchNormalization);
}

}  // namespace onnxcmp
