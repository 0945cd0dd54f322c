#include "feed/coverage/coverage.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Things to see of a node, a bit each.
enum Sight : uint32_t {
  kSawNumbers = 1,   // not all NaN
  kSawVaried = 2,    // not all equal
  kSawNegative = 4,  // below and above where an activation bends
  kSawPositive = 8,
  kSawTrue = 16,  // both sides of a choice
  kSawFalse = 32,
  kSawBoth = 64,  // for Min and Max: selects from several inputs
  kSawLow = 128,  // for Clip
  kSawHigh = 256,
  kSawSpread = 512,  // for Softmax: several elements count
  kSawAxes = 1024,   // where axes are chosen: several elements along them
  kSawOther = 2048,  // for ArgMax: another element than the first
  kSawNoRound = 4096,
  kSawOneRound = 8192,
  kSawRounds = 16384,  // more than one
  kSawRows = 32768,    // for an input: more than one along the first axis
};

absl::string_view TextOf(Sight sight) {
  switch (sight) {
    case kSawNumbers:
      return "all it gave is NaN, or nothing";
    case kSawVaried:
      return "all that it gave is equal";
    case kSawNegative:
      return "nothing below 0 came in";
    case kSawPositive:
      return "nothing above 0 came in";
    case kSawTrue:
      return "its condition was never true";
    case kSawFalse:
      return "its condition was never false";
    case kSawBoth:
      return "one of its inputs was never chosen";
    case kSawLow:
      return "its lower limit was never reached";
    case kSawHigh:
      return "its upper limit was never reached";
    case kSawSpread:
      return "one element took all";
    case kSawAxes:
      return "its axes had one element";
    case kSawOther:
      return "it always chose the first";
    case kSawNoRound:
      return "it never went without a round";
    case kSawOneRound:
      return "it never had one round";
    case kSawRounds:
      return "it never had more than one round";
    case kSawRows:
      return "its first axis never had more than one element";
  }
  return "";
}

bool Reduces(const std::string& op_type) {
  return op_type.starts_with("Reduce") || op_type == "ArgMax" || op_type == "ArgMin";
}

// Coverage of one node by one run.
class NodeSights {
 public:
  NodeSights(const ResultStream& stream, const StreamNode& node) : stream_(stream), node_(node) {}

  uint32_t wanted = 0;
  uint32_t met = 0;

  void Look() {
    for (const int output : node_.outputs) {
      if (output != kNone) LookAtOutput(stream_.results[Index(output)]);
    }
    if (HasTrait(node_, OperatorTrait::kBends)) LookAtBend();
    if (node_.op_type == "Where" || node_.op_type == "If") LookAtCondition(Input(0));
    if (HasTrait(node_, OperatorTrait::kCompares)) LookAtCondition(FirstOutput());
    if (node_.op_type == "Min" || node_.op_type == "Max") LookAtExtreme();
    if (node_.op_type == "Clip") LookAtClip();
    if (node_.op_type == "Softmax") LookAtSoftmax();
    if (node_.op_type == "Transpose" || Reduces(node_.op_type)) LookAtAxes();
  }

 private:
  const StreamResult* Input(size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNone) return nullptr;
    return &stream_.results[Index(node_.inputs[i])];
  }
  // nullptr if the node does not give its first output.
  const StreamResult* FirstOutput() const {
    if (node_.outputs.empty() || node_.outputs[0] == kNone) return nullptr;
    return &stream_.results[Index(node_.outputs[0])];
  }
  void See(Sight sight, bool seen) {
    wanted |= sight;
    if (seen) met |= sight;
  }

  void LookAtOutput(const StreamResult& output) {
    const Fingerprint& fingerprint = output.fingerprint;
    const bool chooses = node_.op_type == "ArgMax" || node_.op_type == "ArgMin";
    if (!output.shape.has_value()) return;
    if (fingerprint.kind != ElementKind::kFloat && !chooses) return;
    const Statistics& of = fingerprint.numbers().statistics;
    See(kSawNumbers, fingerprint.size > of.nans);
    if (chooses) See(kSawOther, of.max > 0);
    if (fingerprint.size > 1) See(kSawVaried, of.min < of.max);
  }
  void LookAtBend() {
    const StreamResult* x = Input(0);
    if (x == nullptr || x->fingerprint.kind != ElementKind::kFloat) return;
    See(kSawNegative, x->fingerprint.numbers().statistics.min < 0);
    See(kSawPositive, x->fingerprint.numbers().statistics.max > 0);
  }
  void LookAtCondition(const StreamResult* condition) {
    if (condition == nullptr || condition->dtype != DType::kBool) return;
    const int64_t zeros = condition->fingerprint.numbers().statistics.zeros;
    See(kSawTrue, zeros < condition->fingerprint.size);
    See(kSawFalse, zeros > 0);
  }
  void LookAtExtreme() {
    const StreamResult* output = FirstOutput();
    if (output == nullptr) return;
    const bool other = std::none_of(node_.inputs.begin(), node_.inputs.end(), [&](int input) {
      return input != kNone &&
             stream_.results[Index(input)].fingerprint.bits == output->fingerprint.bits;
    });
    if (node_.inputs.size() > 1) See(kSawBoth, other);
  }
  void LookAtClip() {
    const StreamResult* x = Input(0);
    const StreamResult* low = Input(1);
    const StreamResult* high = Input(2);
    if (x == nullptr || !x->fingerprint.has_sketch) return;
    const Statistics& of = x->fingerprint.numbers().statistics;
    if (low != nullptr) See(kSawLow, of.min < low->fingerprint.numbers().statistics.max);
    if (high != nullptr) See(kSawHigh, of.max > high->fingerprint.numbers().statistics.min);
  }
  void LookAtAxes() {
    const StreamResult* x = Input(0);
    const StreamResult* output = FirstOutput();
    if (x == nullptr || output == nullptr) return;
    if (!x->shape.has_value() || x->fingerprint.size == 0) return;
    const auto longer =
        std::count_if(x->shape->begin(), x->shape->end(), [](int64_t size) { return size > 1; });
    See(kSawAxes,
        Reduces(node_.op_type) ? output->fingerprint.size < x->fingerprint.size : longer > 1);
  }
  void LookAtSoftmax() {
    const StreamResult* output = FirstOutput();
    if (output == nullptr || output->fingerprint.kind != ElementKind::kFloat) return;
    // If all elements are zeros and ones, the mean square is the mean.
    const Statistics& of = output->fingerprint.numbers().statistics;
    See(kSawSpread, of.deviation * of.deviation < of.mean * (1 - of.mean) - 1e-9);
  }

  const ResultStream& stream_;
  const StreamNode& node_;
};

}  // namespace

std::string WithoutIterations(const std::string& path) {
  std::string text;
  text.reserve(path.size());
  for (size_t i = 0; i < path.size(); ++i) {
    text += path[i];
    if (path[i] != '[') continue;
    while (i + 1 < path.size() && std::isdigit(static_cast<unsigned char>(path[i + 1])) != 0) ++i;
  }
  return text;
}

CoverageCounter::Entry& CoverageCounter::EntryOf(SideId side, absl::string_view path,
                                                 absl::string_view op_type,
                                                 absl::string_view name) {
  std::vector<Entry>& entries = entries_[side];
  const auto [it, added] =
      places_[side].try_emplace(absl::StrCat(path, "/", op_type, "/", name), entries.size());
  if (added) {
    entries.emplace_back();
    entries.back().op_type = std::string(op_type);
    entries.back().name = path.empty() ? std::string(name) : absl::StrCat(path, "/", name);
  }
  return entries[it->second];
}

void CoverageCounter::Add(const ResultStream& stream, SideId side) {
  std::vector<bool> live(stream.results.size());
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (result.node == kNone) {
      live[r] = result.kind == ResultKind::kInput;
      continue;
    }
    const StreamNode& node = stream.nodes[Index(result.node)];
    const auto is_live = [&](int input) { return input != kNone && live[Index(input)]; };
    // A shape does not depend on an input's numbers.
    live[r] = !HasTrait(node, OperatorTrait::kReadsNoElements) &&
              (!node.closed || std::any_of(node.inputs.begin(), node.inputs.end(), is_live) ||
               std::any_of(node.captures.begin(), node.captures.end(), is_live));
  }
  for (const StreamNode& node : stream.nodes) {
    const auto first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                    [](int output) { return output != kNone; });
    if (first == node.outputs.end() || !live[Index(*first)]) continue;
    Entry& entry = EntryOf(side, WithoutIterations(node.path), node.op_type,
                           stream.results[Index(*first)].name);
    NodeSights sights(stream, node);
    sights.Look();
    entry.wanted |= sights.wanted;
    entry.met |= sights.met;
  }
  AddLoops(stream, side, live);
}

// Rounds show in the paths of what is made in them.
void CoverageCounter::AddLoops(const ResultStream& stream, SideId side,
                               const std::vector<bool>& live) {
  absl::flat_hash_map<std::string, int64_t> rounds;  // by what stands before the number
  for (const StreamNode& node : stream.nodes) {
    const std::string& path = node.path;
    for (size_t at = path.find('['); at != std::string::npos; at = path.find('[', at + 1)) {
      const size_t end = path.find(']', at);
      int64_t round = 0;
      if (end == std::string::npos ||
          !absl::SimpleAtoi(absl::string_view(path).substr(at + 1, end - at - 1), &round)) {
        continue;
      }
      int64_t& known = rounds[path.substr(0, at)];
      known = std::max(known, round + 1);
    }
  }
  for (const StreamNode& node : stream.nodes) {
    if (node.op_type != "Loop" || !node.domain.empty()) continue;
    const auto first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                    [](int output) { return output != kNone; });
    const bool open =
        std::any_of(node.inputs.begin(),
                    node.inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(node.inputs)),
                    [&](int input) { return input != kNone && live[Index(input)]; });
    if (first == node.outputs.end() || !open) continue;
    const std::string& name = stream.results[Index(*first)].name;
    const std::string& label = node.name.empty() ? name : node.name;
    const auto it = rounds.find(node.path.empty() ? label : absl::StrCat(node.path, "/", label));
    const int64_t count = it == rounds.end() ? 0 : it->second;
    Entry& entry = EntryOf(side, WithoutIterations(node.path), node.op_type, name);
    entry.wanted |= kSawNoRound | kSawOneRound | kSawRounds;
    entry.met |= count == 0 ? kSawNoRound : count == 1 ? kSawOneRound : kSawRounds;
  }
}

void CoverageCounter::AddMissing(SideId side, const std::string& name, const std::string& why) {
  for (Entry& entry : entries_[side]) {
    if (entry.name == name) entry.parts = why;
  }
}

void CoverageCounter::AddRows(SideId side, const std::string& input, int64_t rows) {
  Entry& entry = EntryOf(side, "", "input", input);
  entry.wanted |= kSawRows;
  if (rows > 1) entry.met |= kSawRows;
}

int64_t CoverageCounter::seen() const {
  int64_t seen = 0;
  for (const SideId side : kBothSides) {
    for (const Entry& entry : entries_[side]) seen += 1 + std::popcount(entry.met);
  }
  return seen;
}

Coverage CoverageCounter::Get() const {
  Coverage coverage;
  for (const SideId side : kBothSides) {
    for (const Entry& entry : entries_[side]) {
      const bool whole = (entry.wanted & ~entry.met) == 0 && entry.parts.empty();
      // An input is no node, but counts where it was not exercised.
      if (!whole || entry.op_type != "input") ++coverage.nodes;
      if (whole) continue;
      std::vector<absl::string_view> why;
      for (uint32_t bit = 1; bit <= kSawRows; bit <<= 1) {
        if ((entry.wanted & ~entry.met & bit) != 0) why.push_back(TextOf(static_cast<Sight>(bit)));
      }
      if (!entry.parts.empty()) why.push_back(entry.parts);
      coverage.missing.push_back({side, entry.op_type, entry.name, absl::StrJoin(why, ", ")});
    }
  }
  return coverage;
}

}  // namespace onnxcmp
