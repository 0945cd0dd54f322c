#include "python/src/errors.h"

#include <exception>
#include <string>

#include <nanobind/nanobind.h>

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

// Text that may hold anything.
nb::object Text(absl::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object Payload(const absl::Status& status, const char* name) {
  const auto payload = status.GetPayload(name);
  return payload.has_value() ? Text(std::string(*payload)) : nb::none();
}

void Raise(const absl::Status& status) {
  const nb::object made =
      nb::module_::import_("onnxcmp._errors")
          .attr("Error")(Text(status.message()), absl::StatusCodeToString(status.code()),
                         Payload(status, "onnxcmp/node"), Payload(status, "onnxcmp/operator"),
                         Payload(status, "onnxcmp/path"));
  PyErr_SetObject(made.type().ptr(), made.ptr());
}

}  // namespace

void TranslateErrors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const StatusError& error) {
      Raise(error.status);
    }
  });
}

}  // namespace onnxcmp::python
