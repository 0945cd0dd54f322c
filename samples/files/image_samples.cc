#include "samples/files/image_samples.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/tensor/dtype.h"
#include "samples/files/input_form.h"

namespace onnxcmp {
namespace {

constexpr int kOpset = 20;  // the first that has ImageDecoder
constexpr double kGreatestPixel = 255;

struct Target {
  const ValueInfo* input = nullptr;
  bool channels_last = false;
  int64_t channels = 3;
  std::optional<int64_t> height, width;
};

bool AreChannels(const std::optional<int64_t>& size) {
  return size.has_value() && (*size == 1 || *size == 3);
}

std::optional<Target> TargetOf(const ValueInfo& input, const ImageOptions& options) {
  const std::optional<int64_t> rank = RankOf(input);
  if (!rank.has_value() || *rank < 3 || *rank > 4) return std::nullopt;
  const bool first = AreChannels(SizeOf(input, -3));
  const bool last = AreChannels(SizeOf(input, -1));
  Target target;
  target.input = &input;
  if (!options.layout.empty()) {
    target.channels_last = options.layout == "nhwc";
  } else if (first || last) {
    target.channels_last = !first;
  } else {
    return std::nullopt;
  }
  target.channels = SizeOf(input, target.channels_last ? -1 : -3).value_or(3);
  if (target.channels != 1 && target.channels != 3) return std::nullopt;
  target.height = SizeOf(input, target.channels_last ? -3 : -2);
  target.width = SizeOf(input, target.channels_last ? -2 : -1);
  return target;
}

absl::StatusOr<Target> FindTarget(const Graph& graph, const ImageOptions& options) {
  std::vector<Target> fitting;
  std::vector<std::string> all;
  for (const ValueInfo* input : RequiredInputs(graph)) {
    all.push_back(absl::StrCat("`", input->name, "`"));
    const std::optional<Target> target = TargetOf(*input, options);
    if (target.has_value()) fitting.push_back(*target);
  }
  if (fitting.size() == 1 && all.size() == 1) return fitting[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "images are for a model with one input of rank 3 or 4 with 1 or 3 channels (--layout says "
      "where they are), and this one has ",
      all.empty() ? "no inputs" : absl::StrJoin(all, ", "),
      ": give .npz files that have a value for each"));
}

// The numbers that the first reader of the input divides or multiplies by say if it takes pixels up
// to 255. Without such a reader a float input takes them up to 1, as most models do.
double RangeOf(const Graph& graph, const ValueInfo& input) {
  if (!IsFloatingPoint(input.type.dtype)) return kGreatestPixel;
  for (const Node& node : graph.nodes) {
    if (node.inputs.size() != 2 || node.inputs[0] != input.name) continue;
    for (const Initializer& constant : graph.initializers) {
      if (constant.name != node.inputs[1] || !constant.value.is_tensor()) continue;
      const Tensor& tensor = constant.value.tensor();
      if (tensor.dtype() != DType::kFloat || tensor.num_elements() == 0) continue;
      const double number = std::abs(*tensor.data<float>());
      const bool divides = node.op_type == "Div" || node.op_type == "Sub";
      if (divides && number > 2) return kGreatestPixel;
      if (node.op_type == "Mul" && number > 0 && number < 2 / kGreatestPixel) return kGreatestPixel;
    }
  }
  return 1;
}

absl::StatusOr<std::vector<double>> ForChannels(std::vector<double> numbers, int64_t channels,
                                                absl::string_view option) {
  if (numbers.size() == 1) numbers.assign(static_cast<size_t>(channels), numbers[0]);
  if (static_cast<int64_t>(numbers.size()) != channels) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " has to have one number, or ", channels, " of them"));
  }
  return numbers;
}

// The steps from pixels (height, width, channels) to the input, as ONNX's text, and in words.
class Preparation {
 public:
  absl::Status Resize(const std::string& option, const Target& target) {
    std::vector<int64_t> sizes;
    for (const absl::string_view word : absl::StrSplit(option, 'x', absl::SkipEmpty())) {
      int64_t size = 0;
      if (!absl::SimpleAtoi(word, &size) || size <= 0) sizes.assign(3, 0);
      sizes.push_back(size);
    }
    if (sizes.size() > 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--resize has to be HEIGHTxWIDTH, or the size of the shorter side: ", option));
    }
    if (sizes.size() == 1) {
      const int64_t height = target.height.value_or(sizes[0]);
      const int64_t width = target.width.value_or(sizes[0]);
      Step(absl::StrCat("sizes = Constant <value = int64[2] {", sizes[0], ", ", sizes[0], "}> ()"));
      const std::string resized = absl::StrCat(
          "Resize <mode = \"linear\", antialias = 1, axes = [0, 1], keep_aspect_ratio_policy = "
          "\"not_smaller\"> (",
          value_, ", , , sizes)");
      Take(resized);
      Step(absl::StrCat("middle = Constant <value = int64[2] {", height, ", ", width, "}> ()"));
      Take(absl::StrCat("CenterCropPad <axes = [0, 1]> (", value_, ", middle)"));
      words_.push_back(
          absl::StrCat("the middle ", height, "x", width, " of a shorter side of ", sizes[0]));
      return absl::OkStatus();
    }
    if (sizes.empty() && target.height.has_value() && target.width.has_value()) {
      sizes = {*target.height, *target.width};
    }
    if (sizes.empty()) {
      words_.push_back("in their own size");
      return absl::OkStatus();
    }
    Step(absl::StrCat("sizes = Constant <value = int64[2] {", sizes[0], ", ", sizes[1], "}> ()"));
    Take(absl::StrCat("Resize <mode = \"linear\", antialias = 1, axes = [0, 1]> (", value_,
                      ", , , sizes)"));
    words_.push_back(absl::StrCat("stretched to ", sizes[0], "x", sizes[1]));
    return absl::OkStatus();
  }

  // `dividing`: by these numbers, of each channel; else they are subtracted.
  void Normalize(const std::vector<double>& numbers, bool dividing) {
    if (numbers.empty()) return;
    const std::string name = dividing ? "std" : "mean";
    Step(absl::StrCat(name, " = Constant <value = float[", numbers.size(), "] {",
                      absl::StrJoin(numbers, ", "), "}> ()"));
    Take(absl::StrCat(dividing ? "Div" : "Sub", " (", value_, ", ", name, ")"));
    words_.push_back(absl::StrCat(name, " ", absl::StrJoin(numbers, ", ")));
  }
  void Divide(double number) {
    Step(absl::StrCat("range = Constant <value = float {", number, "}> ()"));
    Take(absl::StrCat("Div (", value_, ", range)"));
  }
  // To the declared type, with the channels first if the input has them there, and a leading axis.
  void Finish(DType dtype, bool channels_last) {
    if (!IsFloatingPoint(dtype)) Take(absl::StrCat("Round (", value_, ")"));
    if (!channels_last) Take(absl::StrCat("Transpose <perm = [2, 0, 1]> (", value_, ")"));
    Step("batch = Constant <value = int64[1] {0}> ()");
    Take(absl::StrCat("Unsqueeze (", value_, ", batch)"));
    Take(absl::StrCat("Cast <to = ", static_cast<int>(dtype), "> (", value_, ")"));
  }
  void Say(const std::string& words) { words_.push_back(words); }
  std::string words() const { return absl::StrJoin(words_, ", "); }

  std::string Text(const std::string& dtype) const {
    return absl::StrCat("<ir_version: 10, opset_import: [\"\" : ", kOpset,
                        "]>\nprepare (uint8[h, w, c] pixels) => (", dtype, " ", value_,
                        ") {\n  floats = Cast <to = 1> (pixels)\n", text_, "}\n");
  }

 private:
  void Step(const std::string& line) {
    absl::StrAppend(&text_, "  ", line, "\n");
    ++lines_;
  }
  void Take(const std::string& computed) {
    const std::string name = absl::StrCat("v", lines_);
    Step(absl::StrCat(name, " = ", computed));
    value_ = name;
  }

  std::string text_;
  std::string value_ = "floats";
  int lines_ = 0;
  std::vector<std::string> words_;
};

absl::StatusOr<Evaluator> EvaluatorOf(const std::string& text, const OpRegistry& registry) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, LoadModelFromText(text, registry));
  return Evaluator::Create(std::move(model), registry, {.threads = 1});
}

}  // namespace

absl::StatusOr<ImageReader> ImageReader::For(const Graph& graph, const OpRegistry& registry,
                                             const ImageOptions& options) {
  OC_ASSIGN_OR_RETURN(const Target target, FindTarget(graph, options));
  const DType dtype = target.input->type.dtype;
  Preparation steps;
  OC_RETURN_IF_ERROR(steps.Resize(options.resize, target));
  const bool gray = target.channels == 1;
  steps.Say(gray ? "gray" : options.bgr ? "BGR" : "RGB");
  const double range = options.range > 0 ? options.range : RangeOf(graph, *target.input);
  if (range < kGreatestPixel) steps.Divide(kGreatestPixel / range);
  steps.Say(absl::StrCat("0 to ", range));
  OC_ASSIGN_OR_RETURN(
      const std::vector<double> mean,
      options.mean.empty() ? options.mean : ForChannels(options.mean, target.channels, "--mean"));
  OC_ASSIGN_OR_RETURN(
      const std::vector<double> std,
      options.std.empty() ? options.std : ForChannels(options.std, target.channels, "--std"));
  steps.Normalize(mean, /*dividing=*/false);
  steps.Normalize(std, /*dividing=*/true);
  steps.Finish(dtype, target.channels_last);
  steps.Say(target.channels_last ? "channels last" : "channels first");
  OC_ASSIGN_OR_RETURN(
      Evaluator decode,
      EvaluatorOf(
          absl::StrCat("<ir_version: 10, opset_import: [\"\" : ", kOpset,
                       "]>\ndecode (uint8[n] file) => (uint8[h, w, c] pixels) {\n  pixels = "
                       "ImageDecoder <pixel_format = \"",
                       gray          ? "Grayscale"
                       : options.bgr ? "BGR"
                                     : "RGB",
                       "\"> (file)\n}\n"),
          registry));
  OC_ASSIGN_OR_RETURN(Evaluator prepare,
                      EvaluatorOf(steps.Text(std::string(DTypeName(dtype))), registry));
  ImageReader reader(std::move(decode), std::move(prepare));
  reader.input_ = *target.input;
  reader.note_ = absl::StrCat("images become `", target.input->name, "`: ", steps.words());
  return reader;
}

absl::StatusOr<NamedValue> ImageReader::Read(const std::string& path) const {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  OC_ASSIGN_OR_RETURN(const Tensor bytes,
                      Tensor::FromBuffer(DType::kUint8, {file->size()},
                                         Buffer::Borrow(file->data(), file->size(), file)));
  const auto named = [&](const absl::Status& status) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
  };
  absl::StatusOr<std::vector<Value>> pixels = decode_.Run({{"file", bytes}});
  if (!pixels.ok()) return named(pixels.status());
  if ((*pixels)[0].tensor().num_elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no image that can be decoded"));
  }
  absl::StatusOr<std::vector<Value>> prepared = prepare_.Run({{"pixels", (*pixels)[0]}});
  if (!prepared.ok()) return named(prepared.status());
  OC_ASSIGN_OR_RETURN(Tensor tensor, InRankOf(input_, (*prepared)[0].tensor()));
  return NamedValue{input_.name, std::move(tensor), false};
}

}  // namespace onnxcmp
