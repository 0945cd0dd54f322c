#include "python/src/evaluator.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/compare_arguments.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"
#include "feed/generated_targets.h"
#include "feed/input_sets.h"
#include "ops/operators.h"
#include "python/src/custom_operators.h"
#include "python/src/errors.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

template <typename T>
T Get(const nb::dict& options, const char* name, T otherwise) {
  return options.contains(name) ? nb::cast<T>(options[name]) : std::move(otherwise);
}

// All operators, which take a while to be listed.
struct Operators {
  std::shared_ptr<const OpRegistry> registry;
};

Operators ListOperators(int nchwc_block, const nb::sequence& more) {
  auto registry = std::make_shared<OpRegistry>(AllOperators({.nchwc_block = nchwc_block}));
  Check(AddOperators(more, registry.get()));
  return {std::move(registry)};
}

std::unique_ptr<PyEvaluator> Load(const nb::tuple& source, const Operators& operators,
                                  const nb::dict& options) {
  auto made = std::make_unique<PyEvaluator>();
  made->registry = operators.registry;
  LoadOptions load;
  if (options.contains("functions") && ToText(options["functions"]) == "keep")
    load.functions = Functions::kKeep;
  load.follow_links = Get<bool>(options, "follow_links", false);
  EvaluatorOptions running;
  running.threads = Get<int>(options, "threads", 0);
  running.seed = Get<uint64_t>(options, "seed", 0);
  running.max_tensor = Get<int64_t>(options, "max_tensor", running.max_tensor);
  running.max_memory = Get<int64_t>(options, "max_memory", 0);
  running.max_steps = Get<int64_t>(options, "max_steps", 0);
  running.in_double = Get<bool>(options, "in_double", false);
  running.expand_functions = Get<bool>(options, "expand_functions", false);
  const bool is_file = ToText(source[0]) == "file";
  const auto label = ToText(source[1]);
  const nb::bytes bytes = is_file ? nb::bytes("", 0) : nb::cast<nb::bytes>(source[2]);
  const std::string folder = is_file ? "" : ToText(source[3]);
  const absl::string_view model(bytes.c_str(), bytes.size());
  absl::Status status;
  {
    const nb::gil_scoped_release release;
    const auto loaded = is_file ? LoadModel(label, *made->registry, load)
                                : LoadModelFromBytes(model, *made->registry, load, folder);
    status = loaded.status();
    if (status.ok()) {
      absl::StatusOr<Evaluator> evaluator = Evaluator::Create(*loaded, *made->registry, running);
      status = evaluator.status();
      if (status.ok()) made->evaluator = *std::move(evaluator);
    }
  }
  Check(status);
  return made;
}

// ("tensor", dtype, [dim, ...] or None), ("sequence", type), ...
nb::object TypeToPython(const TypeInfo& type) {
  nb::object shape = nb::none();
  if (type.shape.has_value()) {
    nb::list dims;
    for (const TypeInfo::Dim& dim : *type.shape) {
      if (dim.value.has_value()) {
        dims.append(*dim.value);
      } else {
        dims.append(dim.symbol.empty() ? nb::none() : TextToPython(dim.symbol));
      }
    }
    shape = dims;
  }
  const auto element = [&] {
    return type.element == nullptr ? nb::none() : TypeToPython(*type.element);
  };
  const int dtype = static_cast<int>(type.dtype);
  switch (type.kind) {
    case TypeInfo::Kind::kTensor:
      return nb::make_tuple("tensor", dtype, shape);
    case TypeInfo::Kind::kSparseTensor:
      return nb::make_tuple("sparse", dtype, shape);
    case TypeInfo::Kind::kSequence:
      return nb::make_tuple("sequence", element());
    case TypeInfo::Kind::kOptional:
      return nb::make_tuple("optional", element());
    case TypeInfo::Kind::kMap:
      return nb::make_tuple("map", dtype, element());
    case TypeInfo::Kind::kUnknown:
      break;
  }
  return nb::none();
}

nb::list Infos(const std::vector<ValueInfo>& infos) {
  nb::list list;
  for (const ValueInfo& info : infos) {
    list.append(nb::make_tuple(TextToPython(info.name), TypeToPython(info.type)));
  }
  return list;
}

nb::list Inputs(const PyEvaluator& self) { return Infos(self.graph().inputs); }
nb::list Outputs(const PyEvaluator& self) { return Infos(self.graph().outputs); }

nb::list RequiredNames(const PyEvaluator& self) {
  nb::list names;
  for (const ValueInfo* input : RequiredInputs(self.graph()))
    names.append(TextToPython(input->name));
  return names;
}

// A value in the form that the input is declared in: what Python has no form of its own for.
Value Conformed(Value value, const TypeInfo& type) {
  if (type.kind == TypeInfo::Kind::kOptional && type.element != nullptr) {
    Optional optional;
    if (value.is_optional())
      optional = value.optional();
    else if (!value.empty())
      optional.element = std::make_shared<const Value>(std::move(value));
    if (optional.element != nullptr) {
      optional.element = std::make_shared<const Value>(Conformed(*optional.element, *type.element));
    }
    const TypeInfo* inner = type.element.get();
    while (inner->kind == TypeInfo::Kind::kSequence && inner->element != nullptr) {
      inner = inner->element.get();
    }
    optional.element_dtype = inner->dtype;
    return optional;
  }
  if (type.kind == TypeInfo::Kind::kSequence && type.element != nullptr && value.is_sequence()) {
    Sequence sequence;
    sequence.element_dtype =
        type.element->kind == TypeInfo::Kind::kTensor ? type.element->dtype : DType::kUndefined;
    for (const Value& element : value.sequence().elements) {
      sequence.elements.push_back(Conformed(element, *type.element));
    }
    return sequence;
  }
  return value;
}

// Calls `observer` for each result; what it returns but None stands in the result's place.
class PythonObserver : public Observer {
 public:
  explicit PythonObserver(nb::handle observer) : observer_(observer) {}

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    const nb::gil_scoped_acquire acquire;
    try {
      const nb::object given = observer_(
          static_cast<int>(result.kind), TextToPython(std::string(result.name)),
          TextToPython(result.node == nullptr ? "" : result.node->op_type),
          TextToPython(result.node == nullptr ? "" : result.node->domain),
          TextToPython(result.node == nullptr ? "" : result.node->name),
          TextToPython(std::string(result.path)), result.depth, ToPython(result.value, false));
      // Copied: an observer may fill the same array again for the next result.
      if (!given.is_none()) {
        *replacement = FromPython(given, std::string(result.name), nullptr).value;
      }
    } catch (...) {
      raised_ = std::current_exception();
      return absl::CancelledError("the observer raised an exception");
    }
    return absl::OkStatus();
  }

  void Rethrow() const {
    if (raised_ != nullptr) std::rethrow_exception(raised_);
  }

 private:
  nb::handle observer_;
  std::exception_ptr raised_;
};

// Ends a run at its next result, those of subgraphs too.
class Stopping : public Observer {
 public:
  Stopping(const std::atomic<bool>& stop, SignalLook* look, Observer* other)
      : stop_(stop), look_(look), other_(other) {}
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    if (stop_ || look_->Raised()) return absl::CancelledError("the run was stopped");
    return other_ == nullptr ? absl::OkStatus() : other_->OnResult(result, replacement);
  }

 private:
  const std::atomic<bool>& stop_;
  SignalLook* look_;
  Observer* other_;
};

// Keeps results of the main graph by name, for as many calls of Take() as a name is there.
class NamedResults : public Observer {
 public:
  NamedResults(const std::vector<std::string>& names, Observer* other) : other_(other) {
    for (const std::string& name : names) ++wanted_[name].times;
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    const auto wanted = result.depth == 0 && result.kind != ResultKind::kOutput
                            ? wanted_.find(result.name)
                            : wanted_.end();
    const absl::Status status =
        other_ == nullptr ? absl::OkStatus() : other_->OnResult(result, replacement);
    if (wanted != wanted_.end()) {
      wanted->second.value = replacement->has_value() ? **replacement : result.value;
    }
    return status;
  }
  absl::StatusOr<Value> Take(const std::string& name) {
    Wanted& wanted = wanted_[name];
    if (!wanted.value.has_value()) {
      return absl::NotFoundError(absl::StrCat("the model has no result `", name, "`"));
    }
    if (--wanted.times > 0) return *wanted.value;
    return *std::move(wanted.value);
  }

 private:
  struct Wanted {
    std::optional<Value> value;
    int times = 0;
  };

  absl::flat_hash_map<std::string, Wanted> wanted_;
  Observer* other_;
};

// Runs the model for `wanted`: outputs, or other results of the main graph.
nb::list RunModel(const PyEvaluator& self, const nb::sequence& given, nb::handle wanted,
                  nb::handle observer, bool signals) {
  std::optional<std::vector<std::string>> names;
  if (!wanted.is_none()) {
    names.emplace();
    for (const nb::handle name : nb::cast<nb::sequence>(wanted)) names->push_back(ToText(name));
  }
  SharedArrays shared;
  const Feeds feeds = ToFeeds(self.graph(), given, &shared);
  absl::flat_hash_map<std::string, size_t> outputs;
  for (size_t i = 0; i < self.graph().outputs.size(); ++i) {
    outputs.emplace(self.graph().outputs[i].name, i);
  }
  std::vector<std::string> inside;
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (!outputs.contains(name)) inside.push_back(name);
  }
  PythonObserver seeing(observer);
  NamedResults named(inside, observer.is_none() ? nullptr : &seeing);
  const bool observed = !observer.is_none() || !inside.empty();
  absl::StatusOr<std::vector<Value>> ran =
      RunWatched(self, feeds, observed ? &named : nullptr, {nb::none(), signals});
  seeing.Rethrow();
  Check(shared.CheckUnchanged());
  std::vector<Value> values = Checked(std::move(ran));
  nb::list list;
  if (!names.has_value()) {
    for (Value& value : values) list.append(ToPython(std::move(value), true));
    return list;
  }
  for (const std::string& name : *names) {
    const auto output = outputs.find(name);
    list.append(ToPython(
        output == outputs.end() ? Checked(named.Take(name)) : values[output->second], true));
  }
  return list;
}

// A list of (name, value): inputs that are made up as ramps.
nb::list Ramps(const PyEvaluator& self) {
  GeneratedInputs generated;
  generated.ramp = true;
  nb::list list;
  for (NamedValue& made : Checked(GenerateInputs(self.graph(), generated))) {
    list.append(nb::make_tuple(TextToPython(made.name), ToPython(std::move(made.value), true)));
  }
  return list;
}

// A list of (name, feeds by name): the sets of a file of inputs, as a comparison feeds the model.
nb::list ReadFeeds(const PyEvaluator& self, nb::handle path, bool each) {
  InputOptions options;
  options.inputs = ToText(path);
  options.each = each;
  InputSets sets = Checked(InputSets::Open(self.graph(), self.graph(), options));
  nb::list read;
  for (int64_t set = 0; set < sets.size(); ++set) {
    const FedInputs fed = Checked(WithoutLock([&] { return sets.Get(set); }));
    nb::dict feeds;
    for (const auto& [name, value] : fed.left) feeds[TextToPython(name)] = ToPython(value, false);
    read.append(nb::make_tuple(TextToPython(fed.name), feeds));
  }
  return read;
}

// The same as a comparison of the two makes up first, for the left.
nb::list MakeInputs(const nb::list& options, const PyEvaluator& left, const PyEvaluator& right) {
  std::vector<std::string> command_line;
  for (const nb::handle option : options) command_line.push_back(ToText(option));
  command_line.insert(command_line.end(), {"--", "left", "right"});
  cli::CompareArguments arguments;
  Check(cli::ReadCompareArguments(command_line, &arguments));
  InputOptions inputs;
  inputs.generated = Checked(arguments.run.generated({&left.graph(), &right.graph()}));
  InputSets sets = Checked(InputSets::Open(left.graph(), right.graph(), inputs));
  const FedInputs fed = Checked(sets.Get(0));
  nb::list list;
  for (const ValueInfo* input : RequiredInputs(left.graph())) {
    const auto value = fed.left.find(input->name);
    if (value == fed.left.end()) continue;
    list.append(nb::make_tuple(TextToPython(input->name), ToPython(value->second, true)));
  }
  return list;
}

}  // namespace

Feeds ToFeeds(const Graph& graph, const nb::sequence& given, SharedArrays* shared) {
  absl::flat_hash_map<std::string, const TypeInfo*> types;
  for (const ValueInfo& input : graph.inputs) types.emplace(input.name, &input.type);
  Feeds feeds;
  for (const nb::handle one : given) {
    const auto pair = nb::cast<nb::tuple>(one);
    const auto name = ToText(pair[0]);
    ReadValue read = FromPython(pair[1], name, shared);
    const auto type = types.find(name);
    if (type == types.end()) {
      feeds.emplace(name, std::move(read.value));
      continue;
    }
    feeds.emplace(name,
                  Conformed(ValueFor({name, std::move(read.value), read.opaque}, *type->second),
                            *type->second));
  }
  return feeds;
}

absl::StatusOr<std::vector<Value>> RunWatched(const PyEvaluator& self, const Feeds& feeds,
                                              Observer* observer, const Watch& watch) {
  absl::StatusOr<std::vector<Value>> values = absl::UnknownError("nothing was done");
  std::atomic<bool> stop = false;
  const bool here = watch.tick.is_none();
  SignalLook look(here && watch.signals);
  Stopping seen(stop, &look, observer);
  DoWatched({watch.tick, watch.signals && !here}, nullptr, &stop, [&] {
    auto run = self.evaluator->Start(feeds, &seen);
    while (run.ok() && !stop) {
      const absl::StatusOr<bool> more = run->Step();
      if (!more.ok()) {
        run = more.status();
      } else if (!*more) {
        values = run->TakeOutputs();
        return;
      }
    }
    values = run.ok() ? absl::CancelledError("the run was stopped") : run.status();
  });
  look.Rethrow();
  return values;
}

void BindEvaluator(nb::module_& module) {
  nb::class_<Operators>(module, "Operators");
  module.def("operators", &ListOperators);
  nb::class_<PyEvaluator>(module, "Evaluator")
      .def("inputs", &Inputs)
      .def("outputs", &Outputs)
      .def("required", &RequiredNames)
      .def("run", &RunModel, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
      .def("ramps", &Ramps)
      .def("read_feeds", &ReadFeeds);
  module.def("load", &Load);
  module.def("make_inputs", &MakeInputs);
}

}  // namespace onnxcmp::python
