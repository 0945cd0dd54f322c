#include "tools/parts/checked_schemas.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

#include "absl/strings/string_view.h"
#include "onnx/defs/shape_inference.h"
#include "onnx/defs/tensor_proto_util.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// Larger numbers only waste memory.
constexpr int64_t kMostAxes = 1024;
constexpr int64_t kMostParts = 65536;

bool FitsInt(int64_t number) {
  return number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max();
}

// The shape of an input that is a tensor of known rank.
const onnx::TensorShapeProto* ShapeOf(const onnx::InferenceContext& context, size_t input) {
  const bool there =
      onnx::hasInputShape(context, input) && context.getInputType(input)->has_tensor_type();
  return there ? &context.getInputType(input)->tensor_type().shape() : nullptr;
}

int64_t IntOf(const onnx::InferenceContext& context, const char* name, int64_t otherwise) {
  const onnx::AttributeProto* attribute = context.getAttribute(name);
  return attribute == nullptr ? otherwise : attribute->i();
}

// ONNX checks nodes without inputs itself.
bool FirstInputHasType(const onnx::InferenceContext& context) {
  return context.getNumInputs() == 0 || context.getInputType(0) != nullptr;
}

// With three axes, the total width is divided by the number of heads.
bool AttentionHasHeads(const onnx::InferenceContext& context) {
  const onnx::TensorShapeProto* query = ShapeOf(context, 0);
  return query == nullptr || query->dim_size() != 3 || IntOf(context, "kv_num_heads", 1) > 0;
}

// The data's axes are counted from there on.
bool GatherStartsAtAxis(const onnx::InferenceContext& context) {
  const onnx::TensorShapeProto* indices = ShapeOf(context, 1);
  if (indices == nullptr || indices->dim_size() == 0) return true;
  const int64_t length = indices->dim(indices->dim_size() - 1).dim_value();
  const int64_t batch_dims = IntOf(context, "batch_dims", 0);
  return FitsInt(length) && FitsInt(batch_dims) && length + batch_dims >= 0;
}

bool AxisFitsInt(const onnx::InferenceContext& context) {
  return FitsInt(IntOf(context, "axis", -1));
}

// The constant of an input; null if it is none.
const onnx::TensorProto* ConstantOf(const onnx::InferenceContext& context, size_t input) {
  return input < context.getNumInputs() ? context.getInputData(input) : nullptr;
}

// True if ONNX can read a first element of a constant of integers or floats.
bool HasElement(const onnx::TensorProto& constant) {
  const bool of_eight_bytes = constant.data_type() == onnx::TensorProto::INT64;
  if (constant.has_raw_data()) return constant.raw_data().size() >= (of_eight_bytes ? 8 : 4);
  switch (constant.data_type()) {
    case onnx::TensorProto::INT64:
      return constant.int64_data_size() > 0;
    case onnx::TensorProto::INT32:
      return constant.int32_data_size() > 0;
    case onnx::TensorProto::FLOAT:
      return constant.float_data_size() > 0;
    default:
      return true;
  }
}

// A constant depth is read regardless of its size.
bool DepthHasElement(const onnx::InferenceContext& context) {
  const onnx::TensorProto* depth = ConstantOf(context, 1);
  return depth == nullptr || HasElement(*depth);
}

// An axis is divided by a scalar "split".
bool SplitsIntoPositive(const onnx::InferenceContext& context) {
  const onnx::TensorProto* split = ConstantOf(context, 1);
  const onnx::TensorShapeProto* shape = ShapeOf(context, 1);
  if (split == nullptr || shape == nullptr || shape->dim_size() > 0 || !HasElement(*split)) {
    return true;
  }
  switch (split->data_type()) {
    case onnx::TensorProto::INT64:
      return onnx::ParseData<int64_t>(split)[0] > 0;
    case onnx::TensorProto::INT32:
      return onnx::ParseData<int32_t>(split)[0] > 0;
    default:
      return true;
  }
}

// An axis is divided by the number of outputs, or by "num_outputs".
bool SplitsIntoOutputs(const onnx::InferenceContext& context) {
  const auto outputs = static_cast<int64_t>(context.getNumOutputs());
  const int64_t parts = IntOf(context, "num_outputs", outputs);
  return outputs > 0 && outputs <= parts && parts <= kMostParts;
}

// Its square is a divisor, which may overflow to 0.
bool BlockFitsInt(const onnx::InferenceContext& context) {
  return FitsInt(IntOf(context, "blocksize", 0));
}

// An input that is a shape determines the number of the result's axes by its own number of
// elements.
template <size_t kInput>
bool HasFewAxes(const onnx::InferenceContext& context) {
  const onnx::TensorShapeProto* shape = ShapeOf(context, kInput);
  return shape == nullptr || shape->dim_size() != 1 || shape->dim(0).dim_value() <= kMostAxes;
}

// The shape of the image, or else that of the blocks.
bool ImageHasFewAxes(const onnx::InferenceContext& context) {
  return HasFewAxes<1>(context) && HasFewAxes<2>(context);
}

// The number of elements is divided by a product that may be -1 if the model declares an axis as
// -1. The dividend must not be the least integer.
bool ReshapesFewer(const onnx::InferenceContext& context) {
  uint64_t product = 1;
  if (const onnx::TensorShapeProto* data = ShapeOf(context, 0); data != nullptr) {
    for (const auto& dim : data->dim()) {
      if (dim.has_dim_value()) product *= static_cast<uint64_t>(dim.dim_value());
    }
  }
  return product != uint64_t{1} << 63 && HasFewAxes<1>(context);
}

// Elements of a shape are counted through in steps, in int: of 0 or of too many it never ends.
bool StepsToItsEnd(onnx::DataPropagationContext& context) {
  constexpr size_t kSteps = 4;
  if (context.getNumInputs() <= kSteps) return true;
  const onnx::TensorShapeProto* steps = context.getInputData(kSteps);
  if (steps == nullptr || steps->dim_size() != 1 || !steps->dim(0).has_dim_value()) return true;
  const int64_t step = steps->dim(0).dim_value();
  return step != 0 && -kMostAxes <= step && step <= kMostAxes;
}

// Assumption of an operator's inference functions.
struct Premise {
  absl::string_view op_type;
  bool (*holds)(const onnx::InferenceContext& context);
  const char* otherwise;
};

constexpr const char* kTooManyAxes = "the shape of its output has too many axes";

constexpr Premise kPremises[] = {
    {"AffineGrid", HasFewAxes<1>, kTooManyAxes},
    {"Attention", AttentionHasHeads, "kv_num_heads is not positive"},
    {"Col2Im", ImageHasFewAxes, kTooManyAxes},
    {"ConstantOfShape", HasFewAxes<0>, kTooManyAxes},
    {"DepthToSpace", BlockFitsInt, "blocksize is out of range"},
    {"DictVectorizer", FirstInputHasType, "the type of its input is not known"},
    {"Expand", HasFewAxes<1>, kTooManyAxes},
    {"EyeLike", FirstInputHasType, "the type of its input is not known"},
    {"GatherND", GatherStartsAtAxis, "batch_dims and the indices' last axis are out of range"},
    {"LabelEncoder", FirstInputHasType, "the type of its input is not known"},
    {"LayerNormalization", AxisFitsInt, "axis is out of range"},
    {"OneHot", DepthHasElement, "depth is empty"},
    {"RegexFullMatch", FirstInputHasType, "the type of its input is not known"},
    {"Reshape", ReshapesFewer, "its input or output is too large"},
    {"Resize", HasFewAxes<3>, kTooManyAxes},
    {"Split", SplitsIntoOutputs, "it has not as many parts as outputs"},
    {"SplitToSequence", SplitsIntoPositive, "split is not positive"},
    {"TreeEnsemble", FirstInputHasType, "the type of its input is not known"},
};

}  // namespace

const onnx::OpSchema* CheckedSchemas::GetSchema(const std::string& name, int newest_version,
                                                const std::string& domain) const {
  const onnx::OpSchema* schema = base_.GetSchema(name, newest_version, domain);
  const auto* const premise =
      std::find_if(std::begin(kPremises), std::end(kPremises),
                   [&](const Premise& candidate) { return candidate.op_type == name; });
  if (schema == nullptr) return schema;
  const bool infers =
      schema->has_type_and_shape_inference_function() && premise != std::end(kPremises);
  const bool slices = name == "Slice" && schema->has_data_propagation_function();
  if (!infers && !slices) return schema;
  const auto [it, added] = checked_.try_emplace(schema, *schema);
  if (added && slices) {
    it->second.PartialDataPropagationFunction(
        [propagate = schema->GetDataPropagationFunction()](onnx::DataPropagationContext& context) {
          if (StepsToItsEnd(context)) propagate(context);
        });
  }
  if (added && infers) {
    it->second.TypeAndShapeInferenceFunction([infer = schema->GetTypeAndShapeInferenceFunction(),
                                              premise](onnx::InferenceContext& context) {
      if (!premise->holds(context)) fail_shape_inference(premise->otherwise);
      infer(context);
    });
  }
  return &it->second;
}

}  // namespace onnxcmp
