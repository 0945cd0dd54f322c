#include "feed/generated_inputs.h"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "feed/feeds.h"
#include "feed/type_text.h"

namespace onnxcmp {
namespace {

// Parameters of the elements of one input.
struct Recipe {
  DType dtype;
  int64_t count;                 // number of all elements
  std::optional<int64_t> limit;  // greatest id plus 1
  RandomNumbers* random;         // null: 0, 1, 2, ...
};

bool IsOldFloat(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kFloat || dtype == DType::kDouble;
}

double RealElement(const Recipe& recipe, DType dtype, int64_t i) {
  if (recipe.random != nullptr) {
    return recipe.random->Normal();
  }
  // The types that the classic table has had for long overflow to infinity.
  return RoundTo(dtype, static_cast<double>(i),
                 IsOldFloat(dtype) ? Overflow::kIeee : Overflow::kSaturate) /
         static_cast<double>(recipe.count);
}

int64_t IntegerElement(const Recipe& recipe, int64_t i) {
  const uint64_t greatest = recipe.dtype == DType::kBool     ? 1
                            : recipe.dtype == DType::kString ? 9
                                                             : IntegerMax(recipe.dtype);
  // One more than the greatest value; 0 if that is beyond int64.
  const int64_t room = greatest >= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                           ? 0
                           : static_cast<int64_t>(greatest) + 1;
  if (recipe.random != nullptr) {
    int64_t limit = recipe.limit.value_or(10);
    if (room > 0) {
      limit = std::min(limit, room);
    }
    return recipe.random->Below(limit);
  }
  if (recipe.limit.has_value()) {
    i %= *recipe.limit;
  }
  return room > 0 && recipe.dtype != DType::kInt32 ? i % room : i;
}

template <typename C, typename Element>
void Fill(Tensor& tensor, Element element) {
  std::array<C, 256> strip;
  const auto length = static_cast<int64_t>(strip.size());
  const int64_t count = tensor.num_elements();
  for (int64_t first = 0; first < count; first += length) {
    const int64_t size = std::min(length, count - first);
    for (int64_t i = 0; i < size; ++i) {
      strip[static_cast<size_t>(i)] = element(first + i);
    }
    StoreElements<C>(tensor.dtype(), strip.data(), size, tensor.mutable_raw_data(), first);
  }
}

absl::StatusOr<Tensor> MakeTensor(const Recipe& recipe, const Shape& shape,
                                  std::shared_ptr<MemoryAccount> memory) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(recipe.dtype, shape, std::move(memory)));
  if (tensor.num_elements() == 0) {
    return tensor;
  }
  switch (ComputeClassOf(recipe.dtype)) {
    case ComputeClass::kFloat:
    case ComputeClass::kDouble:
      Fill<double>(tensor, [&](int64_t i) { return RealElement(recipe, recipe.dtype, i); });
      break;
    case ComputeClass::kComplex: {
      const DType part = recipe.dtype == DType::kComplex64 ? DType::kFloat : DType::kDouble;
      Fill<std::complex<double>>(tensor, [&](int64_t i) {
        const double real = RealElement(recipe, part, i);
        const double imaginary = recipe.random == nullptr ? 0 : recipe.random->Normal();
        return std::complex<double>(real, imaginary);
      });
      break;
    }
    case ComputeClass::kString: {
      std::string* texts = tensor.mutable_string_data();
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        texts[i] = absl::StrCat(recipe.random == nullptr ? i : IntegerElement(recipe, i));
      }
      break;
    }
    case ComputeClass::kInt64:
    case ComputeClass::kUint64:
    case ComputeClass::kBool:
      if (recipe.dtype == DType::kBool) {
        Fill<bool>(tensor, [&](int64_t i) { return IntegerElement(recipe, i) % 2 != 0; });
      } else {
        Fill<int64_t>(tensor, [&](int64_t i) { return IntegerElement(recipe, i); });
      }
      break;
    case ComputeClass::kNone:
      break;
  }
  return tensor;
}

absl::StatusOr<Shape> SizesFor(const ValueInfo& input, const GeneratedInputs& options) {
  Shape shape;
  for (const TypeInfo::Dim& dim : *input.type.shape) {
    const auto given = options.dims.find(dim.symbol);
    if (!dim.symbol.empty() && given != options.dims.end()) {
      shape.push_back(given->second);
    } else if (dim.value.value_or(0) != 0) {
      shape.push_back(*dim.value);
    } else {
      shape.push_back(shape.empty() ? 1 : 16);
    }
  }
  OC_RETURN_IF_ERROR(CheckMadeUpSize(input, shape, options.max_tensor));
  return shape;
}

}  // namespace

InputGenerator::InputGenerator(const GeneratedInputs& options) : options_(options) {
  if (options.seed.has_value()) random_.emplace(*options.seed);
}

absl::StatusOr<Tensor> InputGenerator::Make(const ValueInfo& input, std::optional<int64_t> limit) {
  const TypeInfo& type = input.type;
  if (type.kind != TypeInfo::Kind::kTensor || type.dtype == DType::kUndefined ||
      !type.shape.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot make up a value for input ", input.name,
                                                   " of type ", TypeText(type), ": give --inputs"));
  }
  OC_ASSIGN_OR_RETURN(Shape shape, SizesFor(input, options_));
  return MakeTensor({type.dtype, NumElements(shape).value_or(0), limit,
                     random_.has_value() ? &*random_ : nullptr},
                    shape, options_.memory);
}

absl::Status CheckMadeUpSize(const ValueInfo& input, const Shape& shape, int64_t max_tensor) {
  const std::optional<int64_t> elements = NumElements(shape);
  if (!elements.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", input.name, " has an impossible type: ", TypeText(input.type)));
  }
  const std::optional<int64_t> bytes =
      ByteSize(input.type.dtype == DType::kString ? DType::kUint64 : input.type.dtype, *elements);
  if (!bytes.has_value() || *bytes > max_tensor) {
    return absl::ResourceExhaustedError(
        absl::StrCat("input ", input.name, " of type ", TypeText(input.type),
                     " takes more than the limit of ", max_tensor, " bytes"));
  }
  return absl::OkStatus();
}

std::vector<std::string> FreeDimensions(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueInfo* input : RequiredInputs(graph)) {
    if (!input->type.shape.has_value()) {
      continue;
    }
    for (const TypeInfo::Dim& dim : *input->type.shape) {
      if (!dim.value.has_value() && !dim.symbol.empty() &&
          std::find(names.begin(), names.end(), dim.symbol) == names.end()) {
        names.push_back(dim.symbol);
      }
    }
  }
  return names;
}

}  // namespace onnxcmp
