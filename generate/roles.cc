#include "generate/roles.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "feed/feeds.h"
#include "feed/made_up/input_purpose.h"
#include "generate/frames.h"
#include "generate/room.h"
#include "generate/state_pairs.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kRoleNames[] = {
    "tokens",    "mask",        "positions", "cache_position", "last_position", "total_length",
    "use_cache", "token_types", "state",     "given",          "frames",        "lengths"};

// A word that the names of inputs of this role have in them; the first row that fits counts.
struct RoleWord {
  absl::string_view word;
  Role role;
};
constexpr RoleWord kRoleWords[] = {
    {"use_cache", Role::kUseCache},    {"cache_position", Role::kCachePosition},
    {"seqlen", Role::kLastPosition},   {"total_seq", Role::kTotalLength},
    {"token_type", Role::kTokenTypes}, {"mask", Role::kMask},
    {"pos", Role::kPositions},         {"ids", Role::kTokens},
    {"token", Role::kTokens},
};

bool IsCount(const TypeInfo& type) {
  return type.dtype == DType::kInt64 || type.dtype == DType::kInt32;
}

bool IsReal(const TypeInfo& type) {
  return type.kind == TypeInfo::Kind::kTensor && IsFloatingPoint(type.dtype);
}

size_t RankOf(const TypeInfo& type) { return type.shape.has_value() ? type.shape->size() : 0; }

std::string NamesOf(const std::vector<ValueInfo>& values) {
  std::vector<std::string> names;
  for (const ValueInfo& value : values) names.push_back(absl::StrCat("`", value.name, "`"));
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

class RoleFinder {
 public:
  explicit RoleFinder(const Graph& graph)
      : graph_(graph), inputs_(RequiredInputs(graph)), purposes_(PurposesOf(graph)) {
    for (const ValueInfo* input : inputs_) names_.insert(absl::AsciiStrToLower(input->name));
  }

  absl::StatusOr<DecoderRoles> Find(const std::vector<std::string>& states,
                                    const std::vector<std::string>& roles) {
    OC_RETURN_IF_ERROR(TakeGiven(roles));
    FindByNames();
    FindByReaders();
    FindByShapes();
    if (!Has(Role::kTokens) && !Has(Role::kFrames)) FindFrames();
    OC_RETURN_IF_ERROR(CheckPlaced());
    DecoderRoles found;
    OC_ASSIGN_OR_RETURN(found.logits, FindLogits());
    std::vector<const ValueInfo*> pasts;
    for (const ValueInfo* input : inputs_) {
      if (MayBeState(*input)) pasts.push_back(input);
    }
    found.batch = BatchSymbol();
    if (const ValueInfo* frames = With(Role::kFrames); frames != nullptr) {
      found.time = TimeAxisOf(frames->type, BatchAxis(frames->type, found.batch));
    }
    OC_ASSIGN_OR_RETURN(found.states, PairStates(graph_, pasts, found.logits, found.batch, states));
    FindBuffers(&found);
    for (const StatePair& state : found.states) roles_[state.past] = Role::kState;
    for (const ValueInfo* input : inputs_) {
      const auto role = roles_.find(input->name);
      found.inputs.push_back({input->name, role == roles_.end() ? Role::kGiven : role->second});
    }
    SetLimits(&found);
    return found;
  }

 private:
  absl::Status TakeGiven(const std::vector<std::string>& given) {
    for (const std::string& text : given) {
      const size_t at = text.rfind('=');
      const std::string name = text.substr(0, at);
      const auto* const role = at == std::string::npos
                                   ? std::end(kRoleNames)
                                   : std::find(std::begin(kRoleNames), std::end(kRoleNames),
                                               absl::string_view(text).substr(at + 1));
      const bool is_input =
          std::any_of(inputs_.begin(), inputs_.end(),
                      [&](const ValueInfo* input) { return input->name == name; });
      if (!is_input || role == std::end(kRoleNames)) {
        return absl::InvalidArgumentError(
            absl::StrCat("--role ", text, " has to be NAME=ROLE, an input and one of ",
                         absl::StrJoin(kRoleNames, ", "), "; inputs: ", NamesOf(graph_.inputs)));
      }
      roles_[name] = static_cast<Role>(role - std::begin(kRoleNames));
    }
    return absl::OkStatus();
  }

  // Inputs of an encoder, where the decoder's own are called so: input_ids beside
  // decoder_input_ids.
  bool IsOfEncoder(const std::string& lower) const {
    return absl::StrContains(lower, "encoder_") || names_.contains(absl::StrCat("decoder_", lower));
  }

  void FindByNames() {
    for (const ValueInfo* input : inputs_) {
      const std::string lower = absl::AsciiStrToLower(input->name);
      if (roles_.contains(input->name)) continue;
      if (IsOfEncoder(lower) && !absl::StartsWith(lower, "decoder_")) {
        if (!IsCalledPast(lower)) roles_[input->name] = Role::kGiven;
        continue;
      }
      for (const RoleWord& row : kRoleWords) {
        if (!absl::StrContains(lower, row.word)) continue;
        const bool may_be_real = row.role == Role::kMask;
        if (IsReal(input->type) && !may_be_real) break;
        if (row.role == Role::kTokens && Has(Role::kTokens)) break;
        roles_[input->name] = row.role;
        break;
      }
    }
  }

  static bool IsCalledPast(const std::string& lower) { return absl::StrContains(lower, "past"); }

  // By what the nodes do with an input.
  void FindByReaders() {
    for (const ValueInfo* input : inputs_) {
      const auto found = purposes_.find(input->name);
      if (roles_.contains(input->name) || found == purposes_.end() || IsReal(input->type)) continue;
      const InputPurpose& purpose = found->second;
      if (purpose.Is<IdPurpose>() && !Has(Role::kTokens)) {
        roles_[input->name] = Role::kTokens;
      } else if (purpose.Is<PositionPurpose>() && !Has(Role::kPositions)) {
        roles_[input->name] = Role::kPositions;
      } else if (purpose.Is<LengthPurpose>() && RankOf(input->type) == 1 && !Has(Role::kLengths)) {
        roles_[input->name] = Role::kLengths;
      } else if (purpose.IsMask() && !Has(Role::kMask)) {
        roles_[input->name] = Role::kMask;
      }
    }
  }

  // The first input of floats that is not called a state.
  void FindFrames() {
    for (const ValueInfo* input : inputs_) {
      if (roles_.contains(input->name) || !IsReal(input->type) || RankOf(input->type) == 0 ||
          IsCalledState(input->name)) {
        continue;
      }
      roles_[input->name] = Role::kFrames;
      return;
    }
  }

  // Integers of the tokens' shape are positions, those that are longer a mask.
  void FindByShapes() {
    const ValueInfo* tokens = With(Role::kTokens);
    if (tokens == nullptr || RankOf(tokens->type) != 2) return;
    const std::vector<TypeInfo::Dim>& of_tokens = *tokens->type.shape;
    for (const ValueInfo* input : inputs_) {
      if (roles_.contains(input->name) || !IsCount(input->type)) continue;
      const size_t rank = RankOf(input->type);
      if (rank == 0 || rank > 2) continue;
      const std::string& last = input->type.shape->back().symbol;
      const bool as_long = !last.empty() && last == of_tokens.back().symbol;
      if (rank == 1 && as_long) {
        roles_[input->name] = Role::kCachePosition;
      } else if (rank == 2 && as_long && !Has(Role::kPositions)) {
        roles_[input->name] = Role::kPositions;
      } else if (rank == 2 && !as_long && !Has(Role::kMask)) {
        roles_[input->name] = Role::kMask;
      }
    }
  }

  bool Has(Role role) const { return With(role) != nullptr; }

  const ValueInfo* With(Role role) const {
    const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const ValueInfo* input) {
      const auto known = roles_.find(input->name);
      return known != roles_.end() && known->second == role;
    });
    return found == inputs_.end() ? nullptr : *found;
  }

  absl::Status CheckPlaced() const {
    if (!Has(Role::kTokens) && !Has(Role::kFrames)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no input takes tokens: none is called ids or tokens, none selects rows of a table; nor "
          "are there floats that may be frames; inputs: ",
          NamesOf(graph_.inputs), "; --role NAME=tokens says which it is"));
    }
    for (const ValueInfo* input : inputs_) {
      if (roles_.contains(input->name) || IsReal(input->type)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "the role of input `", input->name,
          "` is not known: its name, its readers and its shape tell none; --role ", input->name,
          "=ROLE says it, with one of ", absl::StrJoin(kRoleNames, ", ")));
    }
    return absl::OkStatus();
  }

  bool MayBeState(const ValueInfo& input) const {
    const auto role = roles_.find(input.name);
    if (role != roles_.end()) return role->second == Role::kState;
    return IsReal(input.type);
  }

  // A cache whose slots are numbered is as long after a step as before it.
  void FindBuffers(DecoderRoles* found) const {
    const bool numbered = Has(Role::kCachePosition);
    for (StatePair& state : found->states) {
      if (!state.axis.has_value()) continue;
      const TypeInfo::Dim dim = DimOf(graph_.inputs, state.past, *state.axis);
      const TypeInfo::Dim next = DimOf(graph_.outputs, state.present, *state.axis);
      if (numbered && !dim.symbol.empty() && dim.symbol == next.symbol) {
        state.slots = std::exchange(state.axis, std::nullopt);
        found->slots = dim.symbol;
      } else {
        state.may_be_buffer =
            Has(Role::kLastPosition) && IsReadBy(state.past, "GroupQueryAttention");
      }
    }
  }

  static TypeInfo::Dim DimOf(const std::vector<ValueInfo>& values, const std::string& name,
                             size_t axis) {
    for (const ValueInfo& value : values) {
      if (value.name == name && axis < RankOf(value.type)) return (*value.type.shape)[axis];
    }
    return {};
  }

  bool IsReadBy(const std::string& name, absl::string_view operation) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) {
      return node.op_type == operation &&
             std::find(node.inputs.begin(), node.inputs.end(), name) != node.inputs.end();
    });
  }

  // An output that is called logits, else the one whose last dimension is the number of ids, else
  // the first of rank 3 or 2.
  absl::StatusOr<std::string> FindLogits() const {
    const ValueInfo* by_size = nullptr;
    const ValueInfo* first = nullptr;
    const std::optional<int64_t> rows = RowsOfTokens();
    for (const ValueInfo& output : graph_.outputs) {
      const size_t rank = RankOf(output.type);
      if (!IsReal(output.type)) continue;
      if (absl::StrContains(absl::AsciiStrToLower(output.name), "logits")) return output.name;
      if (rank != 2 && rank != 3 && !Has(Role::kFrames)) continue;
      if (rows.has_value() && output.type.shape->back().value == rows && by_size == nullptr) {
        by_size = &output;
      }
      // An encoder gives hidden states.
      const bool hidden = absl::StrContains(absl::AsciiStrToLower(output.name), "hidden");
      if (first == nullptr && (hidden || !IsCalledState(output.name))) first = &output;
    }
    if (by_size != nullptr) return by_size->name;
    if (first != nullptr) return first->name;
    return absl::InvalidArgumentError(absl::StrCat(
        "no output has logits: none is called logits, and none of floats has the shape [batch, "
        "positions, vocabulary]; outputs: ",
        NamesOf(graph_.outputs)));
  }

  std::string BatchSymbol() const {
    if (const ValueInfo* frames = With(Role::kFrames); frames != nullptr) {
      return BatchSymbolOf(frames->type);
    }
    const ValueInfo* tokens = With(Role::kTokens);
    return RankOf(tokens->type) == 2 ? tokens->type.shape->front().symbol : "";
  }

  std::optional<int64_t> RowsOfTokens() const {
    const ValueInfo* tokens = With(Role::kTokens);
    if (tokens == nullptr) return std::nullopt;
    const auto purpose = purposes_.find(tokens->name);
    if (purpose == purposes_.end() || !purpose->second.Is<IdPurpose>()) return std::nullopt;
    return purpose->second.limit;
  }

  bool IsAddedUpOneByOne(const std::string& mask) const {
    absl::flat_hash_set<absl::string_view> made;  // of it, with its positions
    made.insert(absl::string_view(mask));
    for (const Node& node : graph_.nodes) {
      const bool reads =
          std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&](const std::string& input) { return made.contains(input); });
      if (!reads || node.op_type == "Shape" || node.op_type == "ReduceSum") continue;
      if (node.op_type == "CumSum") return true;
      made.insert(node.outputs.begin(), node.outputs.end());
      made.erase("");  // an output, or an input, that is left out
    }
    return false;
  }

  void SetLimits(DecoderRoles* found) const {
    found->vocabulary = RowsOfTokens();
    const auto logits =
        std::find_if(graph_.outputs.begin(), graph_.outputs.end(),
                     [&](const ValueInfo& output) { return output.name == found->logits; });
    if (!found->vocabulary.has_value() && RankOf(logits->type) > 0 && !Has(Role::kFrames)) {
      found->vocabulary = logits->type.shape->back().value;
    }
    if (const ValueInfo* mask = With(Role::kMask); mask != nullptr) {
      const auto purpose = purposes_.find(mask->name);
      // A number for each position tells which ones count.
      const auto* sums = purpose == purposes_.end() ? nullptr : purpose->second.As<MaskPurpose>();
      found->mask_is_counted = sums != nullptr && sums->sums && !IsAddedUpOneByOne(mask->name);
    } else {
      found->mask_is_counted = Has(Role::kLengths);
    }
    LimitPositions(graph_, purposes_, found);
  }

  const Graph& graph_;
  const std::vector<const ValueInfo*> inputs_;
  const InputPurposes purposes_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_map<std::string, Role> roles_;
};

}  // namespace

absl::string_view RoleName(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

const DecoderRoles::Input* DecoderRoles::Find(Role role) const {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const Input& input) { return input.role == role; });
  return found == inputs.end() ? nullptr : &*found;
}

absl::StatusOr<DecoderRoles> FindRoles(const Graph& graph, const std::vector<std::string>& states,
                                       const std::vector<std::string>& roles) {
  return RoleFinder(graph).Find(states, roles);
}

absl::Status InputError(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("input `", name, "` ", what));
}

std::string InputsText(const DecoderRoles& roles) {
  std::vector<std::string> inputs;
  for (const DecoderRoles::Input& input : roles.inputs) {
    if (input.role != Role::kState) {
      inputs.push_back(absl::StrCat(RoleName(input.role), " ", input.name));
    }
  }
  return absl::StrJoin(inputs, ", ");
}

std::vector<std::string> DescribeRoles(const DecoderRoles& roles) {
  std::vector<std::string> fed, given, lines;
  for (const DecoderRoles::Input& input : roles.inputs) {
    if (input.role == Role::kState) continue;
    if (input.role == Role::kGiven) {
      given.push_back(input.name);
    } else {
      fed.push_back(absl::StrCat(RoleName(input.role), " ", input.name));
    }
  }
  lines.push_back(absl::StrJoin(fed, ", "));
  if (roles.states.empty()) {
    lines.emplace_back(roles.has_frames() ? "no states: a run takes all frames"
                                          : "no states: each step runs on all tokens so far");
  } else {
    const StatePair& first = roles.states.front();
    lines.push_back(absl::StrCat(
        roles.states.size(), roles.states.size() == 1 ? " state: " : " states: ", first.past,
        " from ", first.present.empty() ? "no output" : first.present,
        first.axis.has_value() ? absl::StrCat(", grows along axis ", *first.axis)
        : first.slots.has_value()
            ? absl::StrCat(", a buffer with its slots along axis ", *first.slots)
            : ", of one size",
        roles.states.size() > 1 ? ", ..." : ""));
  }
  lines.push_back(absl::StrCat(
      roles.has_frames() ? "output " : "logits ", roles.logits,
      roles.vocabulary.has_value() ? absl::StrCat(", ", *roles.vocabulary, " tokens") : ""));
  if (!given.empty()) lines.push_back(absl::StrCat("given ", absl::StrJoin(given, ", ")));
  return lines;
}

}  // namespace onnxcmp
