#include "feed/input_sets.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "feed/feeds.h"
#include "feed/generated_targets.h"
#include "feed/input_candidates.h"
#include "feed/type_text.h"
#include "record/graphs/constants.h"

namespace onnxcmp {
namespace {

constexpr char kRecording[] = "the recording";

// By name; null if the graph has no such input.
const ValueInfo* FindInput(const Graph* graph, const std::string& name) {
  return graph == nullptr ? nullptr : FindValueInfo(graph->inputs, name);
}

ValueList ListOf(InputFiles& files, int64_t set) {
  FeedFile& file = files.file(set);
  ValueList list = {file.path(), {}, [&files, set](size_t i) { return files.Read(set, i); }};
  list.by_name = files.by_name();
  for (size_t i = 0; i < file.size(); ++i) list.names.push_back(file.name(i));
  return list;
}

}  // namespace

absl::StatusOr<InputSets> InputSets::Open(const Graph& left, const Graph& right,
                                          const InputOptions& options) {
  InputSets sets;
  sets.graphs_ = {&left, &right};
  sets.generated_ = options.generated;
  sets.partial_ = options.partial;
  OC_ASSIGN_OR_RETURN(sets.mapping_, MapInputs(left, right, options.map_input));
  OC_RETURN_IF_ERROR(sets.OpenFiles(options));
  return sets;
}

absl::StatusOr<InputSets> InputSets::OpenGiven(const Graph& left, const Graph& right,
                                               const InputOptions& options,
                                               std::vector<NamedValue> given,
                                               const std::string& source) {
  InputSets sets;
  sets.graphs_ = {&left, &right};
  sets.generated_ = options.generated;
  sets.partial_ = options.partial;
  sets.given_ = std::move(given);
  sets.given_source_ = source;
  OC_ASSIGN_OR_RETURN(sets.mapping_, MapInputs(left, right, options.map_input));
  return sets;
}

absl::StatusOr<InputSets> InputSets::OpenLeft(const Graph& left, const InputOptions& options,
                                              InputsOfRecording recorded) {
  return OpenOne(SideId::kLeft, left, options, std::move(recorded));
}

absl::StatusOr<InputSets> InputSets::OpenRight(const Graph& right, const InputOptions& options,
                                               InputsOfRecording recorded) {
  return OpenOne(SideId::kRight, right, options, std::move(recorded));
}

absl::StatusOr<InputSets> InputSets::OpenOne(SideId side, const Graph& graph,
                                             const InputOptions& options,
                                             InputsOfRecording recorded) {
  if (!options.map_input.empty()) {
    return absl::InvalidArgumentError("inputs can be mapped between two models only");
  }
  InputSets sets;
  sets.graphs_[side] = &graph;
  sets.generated_ = options.generated;
  sets.partial_ = options.partial;
  if (!recorded.values.empty()) {
    sets.given_ = std::move(recorded.values);
    sets.given_all_ = recorded.all;
    sets.given_source_ = kRecording;
  }
  OC_RETURN_IF_ERROR(sets.OpenFiles(options));
  return sets;
}

absl::StatusOr<std::shared_ptr<InputFiles>> InputSets::OpenFile(const std::string& path,
                                                                const InputOptions& options) {
  const auto found = options.in_memory.find(path);
  if (found != options.in_memory.end()) return std::make_shared<InputFiles>(found->second);
  OC_ASSIGN_OR_RETURN(InputFiles files,
                      InputFiles::Open(path, options.each, options.generated.max_tensor));
  return std::make_shared<InputFiles>(std::move(files));
}

absl::Status InputSets::OpenFiles(const InputOptions& options) {
  if (!options.inputs.empty()) {
    OC_ASSIGN_OR_RETURN(files_.left, OpenFile(options.inputs, options));
    files_.right = files_.left;
  }
  for (const SideId side : kBothSides) {
    const std::string& own = side == SideId::kLeft ? options.left_inputs : options.right_inputs;
    if (own.empty()) continue;
    if (graphs_[side] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the ", SideName(side), " side is a recording and takes no inputs"));
    }
    OC_ASSIGN_OR_RETURN(files_[side], OpenFile(own, options));
  }
  std::optional<int64_t> size;
  for (const SideId side : kBothSides) {
    if (files_[side] == nullptr || graphs_[side] == nullptr) continue;
    if (size.has_value() && files_[side]->size() != *size) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the left side has ", *size, " sets of inputs, the right side ", files_[side]->size()));
    }
    size = files_[side]->size();
  }
  size_ = size.value_or(1);
  // Without files, no further values can fill the gap.
  const bool two = models().left && models().right;
  return two && !size.has_value() ? CheckNoneAlone(mapping_, *graphs_.left, *graphs_.right)
                                  : absl::OkStatus();
}

absl::StatusOr<FedInputs> InputSets::Get(int64_t set) {
  if (set < 0 || set >= size_) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no set ", set, " of inputs, only ", size_));
  }
  FedInputs fed;
  AssignedValues values;
  bool given = false;
  if (shared()) {
    OC_RETURN_IF_ERROR(ReadFile(set, *files_.left, models(), &values));
    fed.name = files_.left->Name(set);
    given = true;
  } else {
    for (const SideId side : kBothSides) {
      if (files_[side] == nullptr || graphs_[side] == nullptr) continue;
      const PerSide<bool> this_one = {side == SideId::kLeft, side == SideId::kRight};
      OC_RETURN_IF_ERROR(ReadFile(set, *files_[side], this_one, &values));
      if (fed.name.empty()) fed.name = files_[side]->Name(set);
      given = true;
    }
  }
  if (given && given_.has_value() && given_source_ == kRecording) {
    // The recording fills in what a file leaves out.
    const SideId side = graphs_.left != nullptr ? SideId::kLeft : SideId::kRight;
    for (const NamedValue& value : *given_) {
      const ValueInfo* input = FindInput(graphs_[side], value.name);
      if (input == nullptr || values.feeds[side].contains(value.name)) continue;
      OC_RETURN_IF_ERROR(
          GiveValue(ValueFor(value, input->type), InputOf(side, value.name), kRecording, &values));
      values.notes.push_back(absl::StrCat("input `", value.name, "` is that of ", kRecording));
    }
  } else if (given_.has_value()) {
    ValueList list = {given_source_, {}, [this](size_t i) { return (*given_)[i]; }};
    for (const NamedValue& value : *given_) list.names.push_back(value.name);
    // A recorded input that the model does not have is accepted.
    OC_ASSIGN_OR_RETURN(
        AssignedValues assigned,
        AssignValues(list, Targets(models()), partial_ || given_source_ == kRecording));
    Append(std::move(assigned), &values);
    given = given_all_;
  }
  OC_RETURN_IF_ERROR(Propagate(&values));
  fed.made_up = MissingBesideRecording(values);
  fed.from = Source(set);
  OC_RETURN_IF_ERROR(Generate(!given, &values));
  OC_RETURN_IF_ERROR(CheckComplete(values));
  fed.left = std::move(values.feeds.left);
  fed.right = std::move(values.feeds.right);
  fed.longer = std::move(values.longer);
  fed.notes = std::move(values.notes);
  return fed;
}

bool InputSets::takes_any() const {
  return std::any_of(kBothSides.begin(), kBothSides.end(), [this](SideId side) {
    return graphs_[side] != nullptr && !RequiredInputs(*graphs_[side]).empty();
  });
}

ValueTarget::Input InputSets::InputOf(SideId side, const std::string& name) const {
  const ValueInfo* input = FindInput(graphs_[side], name);
  return {side, name, input == nullptr ? TypeInfo() : input->type};
}

// The targets of values in a file: each pair, each lone input, each input with a default. In the
// left graph's order, then in the right one's.
std::vector<ValueTarget> InputSets::Targets(const PerSide<bool>& wanted) const {
  PerSide<absl::flat_hash_map<std::string, const MappedInput*>> pairs;
  PerSide<absl::flat_hash_set<std::string>> unread;
  for (const SideId side : kBothSides) {
    for (const MappedInput& pair : mapping_.pairs) {
      if (pair.is_input(side)) pairs[side][OfSide(pair, side)] = &pair;
    }
    for (const LoneInput& input : mapping_.alone(side)) {
      if (!input.read) unread[side].insert(input.name);
    }
  }
  std::vector<ValueTarget> targets;
  PerSide<absl::flat_hash_set<std::string>> seen;
  const auto add = [&](ValueTarget* target, SideId side, const std::string& name) {
    if (seen[side].insert(name).second && wanted[side]) {
      target->inputs.push_back(InputOf(side, name));
    }
  };
  for (const SideId side : kBothSides) {
    const Graph* graph = graphs_[side];
    if (graph == nullptr) continue;
    absl::flat_hash_set<std::string> required;
    for (const ValueInfo* input : RequiredInputs(*graph)) required.insert(input->name);
    for (const ValueInfo& input : graph->inputs) {
      if (seen[side].contains(input.name)) continue;
      ValueTarget target;
      target.required = required.contains(input.name) && !unread[side].contains(input.name);
      add(&target, side, input.name);
      const auto pair = pairs[side].find(input.name);
      if (pair != pairs[side].end()) {
        const MappedInput& both = *pair->second;
        target.required = both.left_is_input && both.right_is_input && both.read;
        target.told = both.how == MappedBy::kOption;
        // The partner may be an input with a default.
        const std::string& partner = OfSide(both, Other(side));
        if (FindInput(graphs_[Other(side)], partner) != nullptr) {
          add(&target, Other(side), partner);
        }
      } else if (!required.contains(input.name) && side == SideId::kLeft &&
                 FindInput(graphs_.right, input.name) != nullptr &&
                 !pairs.right.contains(input.name)) {
        add(&target, SideId::kRight, input.name);
      }
      if (!target.inputs.empty()) targets.push_back(std::move(target));
    }
  }
  return targets;
}

absl::Status InputSets::ReadFile(int64_t set, InputFiles& file, const PerSide<bool>& wanted,
                                 AssignedValues* to) {
  FeedFile& source = file.file(set);
  if (source.is_folder()) return ReadFolder(source, wanted, to);
  OC_ASSIGN_OR_RETURN(AssignedValues assigned,
                      AssignValues(ListOf(file, set), Targets(wanted), partial_));
  Append(std::move(assigned), to);
  return absl::OkStatus();
}

// The files of a folder go to the inputs by the names in them, if these are all inputs of a side;
// else by position, to the first side that they fit, preferably one with as many inputs, and to the
// inputs of the other side that are known only from its graph.
absl::Status InputSets::ReadFolder(const FeedFile& source, const PerSide<bool>& wanted,
                                   AssignedValues* to) const {
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> names, source.NamesInFiles());
  for (const SideId side : kBothSides) {
    const Graph* graph = graphs_[side];
    if (!wanted[side] || names.empty()) continue;
    const bool all = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return FindInput(graph, name) != nullptr;
    });
    if (!all || absl::flat_hash_set<std::string>(names.begin(), names.end()).size() != names.size())
      continue;
    const ValueList list = {
        source.path(), names, [&](size_t i) -> absl::StatusOr<NamedValue> {
          OC_ASSIGN_OR_RETURN(Value value, source.ReadFile(i, FindInput(graph, names[i])->type));
          return NamedValue{names[i], std::move(value), false};
        }};
    OC_ASSIGN_OR_RETURN(AssignedValues assigned, AssignValues(list, Targets(wanted), partial_));
    Append(std::move(assigned), to);
    return absl::OkStatus();
  }
  absl::Status first;
  for (const bool exact : {true, false}) {
    for (const SideId side : kBothSides) {
      const Graph* graph = graphs_[side];
      if (!wanted[side]) continue;
      if (exact && names.size() != graph->inputs.size() &&
          names.size() != RequiredInputs(*graph).size()) {
        continue;
      }
      AssignedValues assigned;
      const absl::Status status = ReadByPosition(source, side, /*only_guesses=*/false, &assigned);
      first.Update(status);
      if (!status.ok()) continue;
      Append(std::move(assigned), to);
      // The other side's positions outrank the guesses from its graph, if they fit.
      AssignedValues other;
      if (wanted[Other(side)] && names.size() == RequiredInputs(*graphs_[Other(side)]).size() &&
          ReadByPosition(source, Other(side), /*only_guesses=*/true, &other).ok()) {
        Append(std::move(other), to);
      }
      return absl::OkStatus();
    }
  }
  return first;
}

// `only_guesses`: only to inputs whose partner is known neither from the user nor by a name.
absl::Status InputSets::ReadByPosition(const FeedFile& source, SideId side, bool only_guesses,
                                       AssignedValues* to) const {
  const Graph& graph = *graphs_[side];
  OC_ASSIGN_OR_RETURN(const Feeds feeds, source.ReadFolder(graph));
  if (feeds.empty() && !RequiredInputs(graph).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(source.path(), " holds no input_N.pb"));
  }
  for (const ValueInfo* input : InputsOfFiles(graph, feeds.size())) {
    if ((only_guesses && !IsGuessed(side, input->name)) || !feeds.contains(input->name)) continue;
    OC_RETURN_IF_ERROR(
        GiveValue(feeds.at(input->name), InputOf(side, input->name), source.path(), to));
  }
  return absl::OkStatus();
}

bool InputSets::IsGuessed(SideId side, const std::string& name) const {
  return std::none_of(mapping_.pairs.begin(), mapping_.pairs.end(), [&](const MappedInput& pair) {
    return OfSide(pair, side) == name &&
           (pair.how == MappedBy::kOption || pair.how == MappedBy::kName);
  });
}

absl::Status InputSets::Propagate(AssignedValues* to) const {
  for (const MappedInput& pair : mapping_.pairs) OC_RETURN_IF_ERROR(PropagatePair(pair, to));
  const bool last = AreLast(to->longer).value_or(false);
  for (const LongerInput& input : to->longer) {
    to->notes.push_back(absl::StrCat(input.text, ", whose ", last ? "last" : "first",
                                     " positions are the same: results are compared there"));
  }
  return absl::OkStatus();
}

// Gives the value of one side to the other.
absl::Status InputSets::PropagatePair(const MappedInput& pair, AssignedValues* to) const {
  PerSide<const Value*> values;
  for (const SideId side : kBothSides) {
    const auto it = to->feeds[side].find(OfSide(pair, side));
    values[side] = it == to->feeds[side].end() ? nullptr : &it->second;
  }
  for (const SideId side : kBothSides) {
    const SideId other = Other(side);
    if (values[side] != nullptr || !pair.is_input(side)) continue;
    if (values[other] != nullptr) {
      const Value value = *values[other];
      return GiveValue(value, InputOf(side, OfSide(pair, side)),
                       absl::StrCat("the ", SideName(other), " `", OfSide(pair, other), "`"), to);
    }
    if (pair.is_input(other)) continue;
    const Tensor* constant = FindConstant(*graphs_[other], OfSide(pair, other));
    if (constant != nullptr) {
      return GiveValue(*constant, InputOf(side, OfSide(pair, side)),
                       absl::StrCat(SideName(other), " initializer `", OfSide(pair, other), "`"),
                       to);
    }
  }
  for (const SideId side : kBothSides) {
    const SideId other = Other(side);
    if (values[side] == nullptr || pair.is_input(other) || values[other] != nullptr) continue;
    const Tensor* constant = FindConstant(*graphs_[other], OfSide(pair, other));
    if (constant == nullptr || !values[side]->is_tensor()) continue;
    if (!HoldTheSame(*constant, values[side]->tensor())) {
      to->notes.push_back(absl::StrCat(SideName(side), " input `", OfSide(pair, side),
                                       "` is given other values than ", SideName(other),
                                       " initializer `", OfSide(pair, other), "` has"));
    }
  }
  if (values.left != nullptr && values.right != nullptr && values.left->is_tensor() &&
      values.right->is_tensor() &&
      values.left->tensor().shape() != values.right->tensor().shape()) {
    const std::optional<LongerInput> longer =
        FindLonger(values.left->tensor(), values.right->tensor(), pair.left);
    if (longer.has_value()) to->longer.push_back(*longer);
    if (longer.has_value() && AreLast(to->longer).has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes differ: left input `", pair.left, "` is given ", values.left->TypeString(),
        ", right input `", pair.right, "` ", values.right->TypeString()));
  }
  return absl::OkStatus();
}

// Makes up missing values: all of them, or only those of inputs that are not read.
absl::Status InputSets::Generate(bool all, AssignedValues* to) {
  PerSide<absl::flat_hash_set<absl::string_view>> required;
  for (const SideId side : kBothSides) {
    if (graphs_[side] == nullptr) continue;
    for (const ValueInfo* input : RequiredInputs(*graphs_[side])) {
      required[side].insert(input->name);
    }
  }
  std::vector<ValueTarget> targets;
  for (ValueTarget& target : Targets(models())) {
    const bool missing =
        std::any_of(target.inputs.begin(), target.inputs.end(), [&](const ValueTarget::Input& i) {
          return required[i.side].contains(i.name) && !to->feeds[i.side].contains(i.name);
        });
    if (missing && (all || !target.required)) targets.push_back(std::move(target));
  }
  // Finding purposes examines the whole graph.
  if (targets.empty()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const std::vector<Value> values,
                      GenerateTargets(targets, graphs_, generated_, &purposes_));
  for (size_t i = 0; i < targets.size(); ++i) {
    for (const ValueTarget::Input& input : targets[i].inputs) {
      OC_RETURN_IF_ERROR(GiveValue(values[i], input, "a value made up for both sides", to));
    }
  }
  return absl::OkStatus();
}

// The model's inputs without a value, if the other side is a recording.
std::vector<std::string> InputSets::MissingBesideRecording(const AssignedValues& values) const {
  std::vector<std::string> missing;
  for (const SideId side : kBothSides) {
    if (graphs_[side] == nullptr || graphs_[Other(side)] != nullptr) continue;
    for (const ValueInfo* input : WithoutValue(*graphs_[side], values.feeds[side])) {
      missing.push_back(input->name);
    }
  }
  return missing;
}

// The source of a set's values; "" if they are made up.
std::string InputSets::Source(int64_t set) const {
  for (const SideId side : kBothSides) {
    if (files_[side] != nullptr && graphs_[side] != nullptr) return files_[side]->file(set).path();
  }
  return given_.has_value() ? given_source_ : "";
}

absl::Status InputSets::CheckComplete(const AssignedValues& values) const {
  for (const SideId side : kBothSides) {
    const Graph* graph = graphs_[side];
    if (graph == nullptr) continue;
    std::vector<std::string> missing;
    for (const ValueInfo* input : WithoutValue(*graph, values.feeds[side])) {
      missing.push_back(absl::StrCat("`", input->name, "` ", TypeText(input->type)));
    }
    if (missing.empty()) continue;
    std::vector<std::string> sources;
    for (const SideId of : kBothSides) {
      const std::shared_ptr<InputFiles>& file = files_[of];
      if (file != nullptr && (sources.empty() || !shared())) {
        std::string names;
        for (size_t i = 0; i < file->file(0).size(); ++i) {
          absl::StrAppend(&names, i == 0 ? " has " : ", ", file->file(0).name(i));
        }
        sources.push_back(absl::StrCat(file->file(0).path(), names));
      }
    }
    if (given_.has_value() && sources.empty()) {
      sources.push_back(
          absl::StrCat(given_source_, given_->empty() ? " has nothing" : " has ",
                       absl::StrJoin(*given_, ", ", [](std::string* out, const NamedValue& value) {
                         absl::StrAppend(out, value.name, " ", value.value.TypeString());
                       })));
    }
    return absl::InvalidArgumentError(absl::StrCat("no value for ", SideName(side), " input ",
                                                   absl::StrJoin(missing, ", "), "; ",
                                                   absl::StrJoin(sources, "; ")));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
