#include "python/src/custom_operators.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onnx/defs/schema.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/signature.h"
#include "python/src/errors.h"
#include "python/src/values.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

// An object of Python's that is let go on whatever thread.
class HeldObject {
 public:
  explicit HeldObject(nb::object object) : object_(std::move(object)) {}
  ~HeldObject() {
    if (!nb::is_alive()) {  // there is no interpreter left to give it back to
      object_.release();
      return;
    }
    const nb::gil_scoped_acquire acquire;
    object_.reset();
  }
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;

  const nb::object& object() const { return object_; }

 private:
  nb::object object_;
};

// Does what calls Python, with the interpreter's lock; an exception is an error with its type and
// text.
template <typename Call>
absl::Status WithPython(const Call& call) {
  const nb::gil_scoped_acquire acquire;
  try {
    return call();
  } catch (const nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();  // the main thread is who handles it
      return absl::CancelledError("a function of Python was interrupted");
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "its function of Python raised ", nb::cast<std::string>(error.type().attr("__name__")),
        ": ", nb::cast<std::string>(nb::str(error.value()))));
  } catch (const StatusError& error) {
    return error.status;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("its function of Python gave ", error.what()));
  }
}

template <typename T>
nb::object ListOf(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      list.append(TextToPython(value));
    } else if constexpr (std::is_same_v<T, Tensor>) {
      list.append(ToPython(value, false));
    } else {
      list.append(value);
    }
  }
  return list;
}

// Numbers, texts, tensors in their plain form, lists of these.
absl::StatusOr<nb::object> AttributeToPython(const std::string& name, const Attribute& attribute) {
  if (const auto* number = std::get_if<int64_t>(&attribute)) return nb::cast(*number);
  if (const auto* number = std::get_if<float>(&attribute)) return nb::cast(*number);
  if (const auto* text = std::get_if<std::string>(&attribute)) return TextToPython(*text);
  if (const auto* tensor = std::get_if<Tensor>(&attribute)) return ToPython(*tensor, false);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) return ListOf(*list);
  if (const auto* list = std::get_if<std::vector<float>>(&attribute)) return ListOf(*list);
  if (const auto* list = std::get_if<std::vector<std::string>>(&attribute)) return ListOf(*list);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&attribute)) return ListOf(*list);
  return absl::UnimplementedError(absl::StrCat(
      "attribute ", name, ": functions of Python take numbers, texts, tensors and lists of these"));
}

absl::Status RunFunction(const nb::object& function, KernelContext& ctx) {
  nb::list inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    inputs.append(ctx.HasInput(i) ? ToPython(ctx.InputValue(i), false) : nb::none());
  }
  const nb::object given = function(inputs);
  const auto outputs = nb::cast<nb::sequence>(given);
  const int count = static_cast<int>(nb::len(outputs));
  if (count < ctx.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its function of Python gave ", count, " outputs of ", ctx.num_outputs()));
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    if (!ctx.HasOutput(i)) continue;
    // Copied: a function may fill the same array again.
    ReadValue read = FromPython(outputs[i], absl::StrCat("output ", i), nullptr);
    OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(read.value)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> MakeKernel(const KernelInit& init, const HeldObject& make) {
  const Node& node = init.node();
  std::shared_ptr<HeldObject> function;
  OC_RETURN_IF_ERROR(WithPython([&]() -> absl::Status {
    nb::dict attributes;
    for (const auto& [name, attribute] : node.attributes) {
      init.Ignore(name);
      OC_ASSIGN_OR_RETURN(attributes[TextToPython(name)], AttributeToPython(name, attribute));
    }
    function = std::make_shared<HeldObject>(
        make.object()(node.domain, node.op_type, TextToPython(node.name), ListOf(node.inputs),
                      ListOf(node.outputs), attributes));
    return absl::OkStatus();
  }));
  return Kernel([function](KernelContext& ctx) {
    return WithPython([&] { return RunFunction(function->object(), ctx); });
  });
}

onnx::OpSchema SchemaOf(const std::string& domain, const std::string& name) {
  std::vector<std::string> types;
  for (const auto* listed :
       {&onnx::OpSchema::all_tensor_types_ir13(), &onnx::OpSchema::all_tensor_sequence_types_ir13(),
        &onnx::OpSchema::all_optional_types_ir13()}) {
    types.insert(types.end(), listed->begin(), listed->end());
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  onnx::OpSchema schema(name, __FILE__, __LINE__);
  schema.SetDomain(domain)
      .SinceVersion(1)
      .Input(0, "inputs", "", "T", onnx::OpSchema::Variadic, /*is_homogeneous=*/false, 0)
      .Output(0, "outputs", "", "T", onnx::OpSchema::Variadic, /*is_homogeneous=*/false, 0)
      .TypeConstraint("T", types, "")
      .Attr(kAnyAttribute, "", onnx::AttributeProto::INT, /*required=*/false)
      .AllowUncheckedAttributes();
  return schema;
}

}  // namespace

absl::Status AddOperators(const nb::sequence& operators, OpRegistry* registry) {
  std::set<std::pair<std::string, std::string>> known;
  for (const OpRegistry::Entry& entry : registry->Entries()) {
    known.emplace(entry.domain, entry.op_type);
  }
  for (const nb::handle one : operators) {
    const auto parts = nb::cast<nb::tuple>(one);
    const std::string domain = ToText(parts[0]);
    const std::string name = ToText(parts[1]);
    if (!known.emplace(domain, name).second || registry->LatestVersion(domain) > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("new_ops: ", name, " of the domain ", domain.empty() ? "ai.onnx" : domain,
                       ": a new operator needs a name and a domain of its own"));
    }
    registry->AddSchema(domain, name, 1, [domain, name] { return SchemaOf(domain, name); });
    registry->Add(domain, name, {1},
                  [make = std::make_shared<HeldObject>(nb::borrow(parts[2]))](
                      const KernelInit& init) { return MakeKernel(init, *make); });
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp::python
