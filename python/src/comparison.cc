#include "python/src/comparison.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/verdict.h"
#include "compare/sides/recording_side.h"
#include "ops/operators.h"
#include "python/src/custom_operators.h"
#include "python/src/errors.h"
#include "python/src/session.h"
#include "python/src/values.h"
#include "python/src/watched.h"
#include "reports/render_csv.h"
#include "reports/render_dot.h"
#include "reports/render_html.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "reports/render_svg.h"
#include "reports/render_table.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

// One set of a session's.
struct PyComparison {
  std::shared_ptr<Session> session;
  std::shared_ptr<ComparedSet> set;
  // The comparison shown: the set's, or that again with an explanation or repros.
  std::shared_ptr<const Comparison> shown;

  const Comparison& comparison() const { return *shown; }
};

PyComparison Of(std::shared_ptr<Session> session, std::shared_ptr<ComparedSet> set) {
  std::shared_ptr<const Comparison> shown(set, &set->comparison);
  return {std::move(session), std::move(set), std::move(shown)};
}

Watch WatchOf(const Session& session, nb::handle tick, bool signals) {
  return {nb::borrow(tick), signals, session.arguments().run.max_time};
}

// Does what may take a while with the sides of a comparison.
template <typename T>
T Do(const std::shared_ptr<Session>& session, const Watch& watch,
     const std::function<absl::StatusOr<T>()>& work) {
  absl::StatusOr<T> result = absl::UnknownError("nothing was done");
  DoWatched(watch, session->progress().get(), session->stop().get(), [&] { result = work(); });
  return Checked(std::move(result));
}

// (name, kind, op_type, domain, node, path, value); kind: as ResultKind.
ValueInMemory ToValueInMemory(const nb::tuple& parts, SharedArrays* shared) {
  ValueInMemory value;
  value.result.name = ToText(parts[0]);
  value.result.kind = static_cast<ResultKind>(nb::cast<int>(parts[1]));
  value.result.op_type = ToText(parts[2]);
  value.result.domain = ToText(parts[3]);
  value.result.node = ToText(parts[4]);
  value.result.path = ToText(parts[5]);
  ReadValue read = FromPython(parts[6], value.result.name, shared);
  value.value = std::move(read.value);
  value.opaque = read.opaque;
  return value;
}

// A list of (name, described, values).
std::vector<RecordedSet> ToSets(const nb::sequence& given, SharedArrays* shared) {
  std::vector<RecordedSet> sets;
  for (const nb::handle one : given) {
    const auto parts = nb::cast<nb::tuple>(one);
    std::vector<ValueInMemory> values;
    for (const nb::handle value : nb::cast<nb::sequence>(parts[2])) {
      values.push_back(ToValueInMemory(nb::cast<nb::tuple>(value), shared));
    }
    sets.push_back(
        {ToText(parts[0]), RecordValuesInMemory(std::move(values), nb::cast<bool>(parts[1]))});
  }
  return sets;
}

// ("file", path), ("model", label, bytes, folder), ("values", label, sets).
Source ToSource(const nb::tuple& parts, SharedArrays* shared) {
  Source source;
  const auto kind = ToText(parts[0]);
  source.label = ToText(parts[1]);
  source.is_file = kind == "file";
  if (kind == "model") {
    const auto bytes = nb::cast<nb::bytes>(parts[2]);
    source.model.emplace(bytes.c_str(), bytes.size());
    source.folder = ToText(parts[3]);
  } else if (!source.is_file) {
    source.sets = ToSets(nb::cast<nb::sequence>(parts[2]), shared);
  }
  return source;
}

std::vector<PyComparison> CompareSources(const nb::list& options, const nb::tuple& left,
                                         const nb::tuple& right, const nb::dict& inputs,
                                         bool letters, const nb::sequence& operators,
                                         nb::handle tick, bool signals) {
  std::vector<std::string> command_line;
  for (const nb::handle option : options) command_line.push_back(ToText(option));
  SharedArrays shared;
  PerSide<Source> sources = {ToSource(left, &shared), ToSource(right, &shared)};
  std::vector<GivenInputs> in_memory;
  for (const auto& [name, given] : inputs) {  // by name: (sets, by_name)
    const auto parts = nb::cast<nb::tuple>(given);
    in_memory.push_back({ToText(name), ToSets(nb::cast<nb::sequence>(parts[0]), &shared),
                         nb::cast<bool>(parts[1])});
  }
  // None where Python is part of another program.
  const nb::object executable = nb::module_::import_("sys").attr("executable");
  const std::string python = executable.is_none() ? "" : ToText(executable);
  std::shared_ptr<Session> session = Checked(Session::Create(
      command_line, std::move(sources), std::move(in_memory), std::move(shared), letters, python));
  Check(AddOperators(operators, &session->operators()));
  std::vector<ComparedSet> sets = Do<std::vector<ComparedSet>>(
      session, WatchOf(*session, tick, signals), [&] { return session->Run(); });
  std::vector<PyComparison> compared;
  for (ComparedSet& set : sets) {
    compared.push_back(Of(session, std::make_shared<ComparedSet>(std::move(set))));
  }
  return compared;
}

// Set `number` of a file as a comparison reads it, counted from the end if negative: (described,
// values), as in ToSets().
nb::tuple OpenRecordedSet(nb::handle path, int64_t number) {
  const std::string file = ToText(path);
  const auto side = Checked(WithoutLock([&] { return OpenSide(file, AllOperators()); }));
  auto* const recording = dynamic_cast<RecordingSide*>(side.get());
  if (recording == nullptr) {
    Check(absl::InvalidArgumentError(absl::StrCat(file, ": a model, not a recording")));
  }
  if (number < 0) number += recording->sets();
  if (number < 0 || number >= recording->sets()) throw nb::index_error("there is no such set");
  recording->ChooseSet(number);
  nb::list values;
  const std::vector<RecordedResult>& results = recording->values().results();
  for (size_t i = 0; i < results.size(); ++i) {
    const RecordedResult& result = results[i];
    auto value = WithoutLock([&] { return recording->ReadResult(i); });
    values.append(nb::make_tuple(TextToPython(result.name), static_cast<int>(result.kind),
                                 TextToPython(result.op_type), TextToPython(result.domain),
                                 TextToPython(result.node), TextToPython(result.path),
                                 ToPython(Checked(std::move(value)), false)));
  }
  return nb::make_tuple(recording->values().described(), values);
}

nb::object Rendered(const std::function<std::string()>& render) {
  std::string text;
  {
    const nb::gil_scoped_release release;
    text = render();
  }
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object TableText(const PyComparison& self, int width, bool color, bool ascii, bool wide,
                     const std::string& rows, bool nan, bool coverage) {
  TableOptions look;
  look.width = width;
  look.color = color;
  look.ascii = ascii;
  look.wide = wide;
  look.only_not_finite = nan;
  look.coverage = coverage;
  look.rows = rows == "all"         ? TableOptions::Rows::kAll
              : rows == "different" ? TableOptions::Rows::kDifferent
                                    : TableOptions::Rows::kFolded;
  return Rendered([&] { return RenderTable(self.comparison(), look); });
}

nb::object Html(const PyComparison& self, size_t most_bytes) {
  HtmlOptions options;
  if (self.session->files()) options.command = self.session->arguments().command;
  options.set_name = self.set->name;
  options.most_bytes = most_bytes;
  return Rendered([&] { return RenderHtml(self.comparison(), options); });
}

nb::object Report(const PyComparison& self, const std::string& format) {
  const Comparison& comparison = self.comparison();
  return Rendered([&]() -> std::string {
    if (format == "json") return RenderJson(comparison);
    if (format == "json_head") return RenderJsonHead(comparison);
    if (format == "json_rows") return RenderJsonRows(comparison);
    if (format == "json_left") return RenderJsonResults(comparison.left);
    if (format == "json_right") return RenderJsonResults(comparison.right);
    if (format == "csv") return RenderCsv(comparison);
    if (format == "dot") return RenderDot(comparison);
    if (format == "junit") return RenderJunit(comparison);
    if (format == "svg") return RenderSvg(comparison);
    return RenderMarkdown(comparison);
  });
}

nb::list ValuesOf(const PyComparison& self, int side, const std::vector<int>& results,
                  nb::handle tick, bool signals) {
  const auto id = side == 0 ? SideId::kLeft : SideId::kRight;
  std::vector<Value> values =
      Do<std::vector<Value>>(self.session, WatchOf(*self.session, tick, signals),
                             [&] { return self.session->Values(*self.set, id, results); });
  nb::list list;
  for (Value& value : values) list.append(ToPython(std::move(value), false));
  return list;
}

PyComparison Again(const PyComparison& self, Comparison comparison) {
  return {self.session, self.set, std::make_shared<const Comparison>(std::move(comparison))};
}

PyComparison Explained(const PyComparison& self, nb::handle text, nb::handle tick, bool signals) {
  const std::string what = ToText(text);
  return Again(self, Do<Comparison>(self.session, WatchOf(*self.session, tick, signals),
                                    [&] { return self.session->Explain(*self.set, what); }));
}

PyComparison WithRepros(const PyComparison& self, nb::handle path, nb::handle tick, bool signals) {
  const std::string folder = ToText(path);
  return Again(self, Do<Comparison>(self.session, WatchOf(*self.session, tick, signals),
                                    [&] { return self.session->WriteRepros(*self.set, folder); }));
}

// The feeds by the names of a side's inputs.
nb::dict FedTo(const PyComparison& self, int side) {
  Check(self.session->CheckUnchanged());
  nb::dict feeds;
  for (const auto& [name, value] : self.set->feeds[side == 0 ? SideId::kLeft : SideId::kRight]) {
    feeds[TextToPython(name)] = ToPython(value, false);
  }
  return feeds;
}

}  // namespace

void BindComparison(nb::module_& module) {
  nb::class_<PyComparison>(module, "Comparison")
      .def_prop_ro("verdict",
                   [](const PyComparison& self) {
                     return std::string(VerdictName(self.comparison().verdict()));
                   })
      .def_prop_ro("exit_status",
                   [](const PyComparison& self) { return ExitStatusOf(self.comparison()); })
      .def_prop_ro("set_name",
                   [](const PyComparison& self) { return TextToPython(self.set->name); })
      .def("table", &TableText)
      .def("html", &Html)
      .def("report", &Report)
      .def("feeds", &FedTo)
      .def("values", &ValuesOf, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("explain", &Explained, nb::arg(), nb::arg().none(), nb::arg())
      .def("write_repros", &WithRepros, nb::arg(), nb::arg().none(), nb::arg());
  module.def("compare", &CompareSources, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg().none(), nb::arg());
  module.def("open_recording", &OpenRecordedSet);
}

}  // namespace onnxcmp::python
