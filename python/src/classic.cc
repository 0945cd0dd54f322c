#include "python/src/classic.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "ops/operators.h"
#include "python/src/errors.h"
#include "python/src/evaluator.h"
#include "python/src/values.h"
#include "tools/classic/classic_alignment.h"
#include "tools/classic/classic_distance.h"
#include "tools/classic/classic_nodes.h"
#include "tools/classic/classic_row.h"
#include "tools/classic/classic_stream.h"
#include "tools/classic/classic_table.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

using Steps = std::vector<std::pair<int64_t, int64_t>>;

// (kind, dtype, shape, letters, op_type, name, value)
nb::tuple RowToPython(ClassicRow row) {
  nb::object shape = nb::none();
  if (row.shape.has_value()) {
    nb::list dims;
    for (const ClassicDim& dim : *row.shape) {
      dims.append(dim.symbol.empty() ? nb::cast(dim.value) : TextToPython(dim.symbol));
    }
    shape = nb::tuple(dims);
  }
  return nb::make_tuple(static_cast<int>(row.kind), TextToPython(row.dtype), shape,
                        std::string(row.letters.begin(), row.letters.end()),
                        TextToPython(row.op_type), TextToPython(row.name),
                        ToPython(std::move(row.value), false));
}

ClassicRow RowFromPython(nb::handle given) {
  const auto parts = nb::cast<nb::tuple>(given);
  ClassicRow row;
  row.kind = static_cast<ClassicKind>(nb::cast<int>(parts[0]));
  row.dtype = ToText(parts[1]);
  if (!parts[2].is_none()) {
    row.shape.emplace();
    for (const nb::handle dim : nb::cast<nb::sequence>(parts[2])) {
      ClassicDim& one = row.shape->emplace_back();
      if (nb::isinstance<nb::str>(dim)) {
        one.symbol = ToText(dim);
      } else {
        one.value = nb::cast<int64_t>(dim);
      }
    }
  }
  const auto letters = ToText(parts[3]);
  if (letters.size() != row.letters.size()) throw nb::value_error("a summary has four letters");
  std::copy(letters.begin(), letters.end(), row.letters.begin());
  row.op_type = ToText(parts[4]);
  row.name = ToText(parts[5]);
  SharedArrays shared;
  row.value = FromPython(parts[6], row.name, &shared).value;
  return row;
}

std::vector<ClassicRow> RowsFromPython(const nb::sequence& given) {
  std::vector<ClassicRow> rows;
  for (const nb::handle row : given) rows.push_back(RowFromPython(row));
  return rows;
}

nb::list RowsToPython(std::vector<ClassicRow> rows) {
  nb::list list;
  for (ClassicRow& row : rows) list.append(RowToPython(std::move(row)));
  return list;
}

// The rows of a run as far as it goes; an error only if `all` is wanted.
nb::list RunRows(const PyEvaluator& evaluator, const nb::sequence& given, bool keep, bool all,
                 bool signals) {
  SharedArrays shared;
  const Feeds feeds = ToFeeds(evaluator.graph(), given, &shared);
  ClassicStream stream(keep, nullptr);
  const absl::Status status =
      RunWatched(evaluator, feeds, stream.observer(), {nb::none(), signals}).status();
  Check(shared.CheckUnchanged());
  if (all) Check(status);
  return RowsToPython(stream.TakeRows());
}

// `base`: the folder of external data; empty: the file's own.
nb::list NodeRows(nb::handle file, nb::handle base) {
  const std::string path = ToText(file);
  const std::string folder = ToText(base);
  absl::StatusOr<std::vector<ClassicRow>> rows = absl::UnknownError("nothing was done");
  {
    const nb::gil_scoped_release release;
    rows = [&]() -> absl::StatusOr<std::vector<ClassicRow>> {
      const OpRegistry registry = AllOperators();
      OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> model, LoadModelProto(path, registry));
      ExternalData external = folder.empty() ? ExternalData::OfModel(path, /*follow_links=*/false)
                                             : ExternalData(folder);
      return ClassicNodeRows(*model, &external);
    }();
  }
  return RowsToPython(Checked(std::move(rows)));
}

Steps Align(const nb::sequence& left, const nb::sequence& right) {
  const std::vector<ClassicRow> left_rows = RowsFromPython(left);
  const std::vector<ClassicRow> right_rows = RowsFromPython(right);
  Steps steps;
  for (const ClassicStep& step : Checked(AlignClassic(left_rows, right_rows))) {
    steps.emplace_back(step.left, step.right);
  }
  return steps;
}

int64_t Distance(nb::handle left, nb::handle right) {
  return ClassicDistance(RowFromPython(left), RowFromPython(right));
}

nb::object ClassicText(const nb::sequence& left, const nb::sequence& right, const Steps& alignment,
                       int column_size, bool keep) {
  const std::vector<ClassicRow> left_rows = RowsFromPython(left);
  const std::vector<ClassicRow> right_rows = RowsFromPython(right);
  std::vector<ClassicStep> steps;
  for (const auto& [i, j] : alignment) {
    if (i < -1 || j < -1 || i >= static_cast<int64_t>(left_rows.size()) ||
        j >= static_cast<int64_t>(right_rows.size())) {
      throw nb::index_error("the alignment speaks of a row that there is not");
    }
    steps.push_back({i, j});
  }
  return TextToPython(ClassicTable(left_rows, right_rows, steps, {column_size, keep}));
}

nb::object ClassicRowLine(nb::handle row) {
  return TextToPython(ClassicRowText(RowFromPython(row)));
}

}  // namespace

void BindClassic(nb::module_& module) {
  module.def("classic_rows", &RunRows);
  module.def("classic_node_rows", &NodeRows);
  module.def("classic_align", &Align);
  module.def("classic_distance", &Distance);
  module.def("classic_table", &ClassicText);
  module.def("classic_row_text", &ClassicRowLine);
}

}  // namespace onnxcmp::python
