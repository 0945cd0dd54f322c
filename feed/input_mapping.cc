#include "feed/input_mapping.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "feed/input_candidates.h"
#include "feed/map_by_names.h"
#include "feed/type_text.h"
#include "record/text/meant_name.h"

namespace onnxcmp {
namespace {

// A possible pair.
struct Edge {
  size_t left;
  size_t right;
  int score;  // 0: only the type supports it
};

class Mapper {
 public:
  Mapper(const Graph& left, const Graph& right) : left_(left), right_(right) {}

  absl::Status Map(absl::Span<const std::string> overrides) {
    for (const std::string& text : overrides) OC_RETURN_IF_ERROR(Override(text));
    MatchNames();
    CheckNames();
    // Each pair found is an anchor for others.
    while (AnyNeedy()) {
      Anchor();
      if (!MatchTypes() && !MatchPlaces() && !MatchRows() && !MatchShared() &&
          !MatchLoneConstants())
        break;
    }
    Guess();
    return CheckSizes();
  }

  InputMapping Take() {
    for (size_t i = 0; i < left_.size(); ++i) {
      if (left_[i].is_input() && !left_[i].taken) {
        mapping_.left_alone.push_back({left_[i].name, left_[i].place->read});
      }
    }
    for (size_t i = 0; i < right_.size(); ++i) {
      if (right_[i].is_input() && !right_[i].taken) {
        mapping_.right_alone.push_back({right_[i].name, right_[i].place->read});
      }
    }
    const auto order = [&](const MappedInput& pair) {
      // Left inputs come first among the left candidates, right ones among the right.
      return pair.left_is_input
                 ? std::pair<size_t, const InputCandidate*>(0, left_.Find(pair.left))
                 : std::pair<size_t, const InputCandidate*>(1, right_.Find(pair.right));
    };
    std::stable_sort(
        mapping_.pairs.begin(), mapping_.pairs.end(),
        [&](const MappedInput& a, const MappedInput& b) { return order(a) < order(b); });
    return std::move(mapping_);
  }

 private:
  void Pair(InputCandidate& left, InputCandidate& right, MappedBy how) {
    left.taken = true;
    right.taken = true;
    if (!left.is_input()) left.claimed += right.place->readers.size();
    if (!right.is_input()) right.claimed += left.place->readers.size();
    mapping_.pairs.push_back({left.name, right.name, how, left.is_input(), right.is_input(),
                              left.place->read || right.place->read});
  }

  bool AnyNeedy() const {
    for (const InputCandidates* side : {&left_, &right_}) {
      for (size_t i = 0; i < side->size(); ++i) {
        if ((*side)[i].needy()) return true;
      }
    }
    return false;
  }

  // LEFT=RIGHT, where names may contain '='.
  absl::Status Override(const std::string& text) {
    for (size_t cut = text.find('='); cut != std::string::npos; cut = text.find('=', cut + 1)) {
      InputCandidate* left = Meant(left_, text.substr(0, cut));
      InputCandidate* right = Meant(right_, text.substr(cut + 1));
      if (left == nullptr || right == nullptr) continue;
      if (!left->is_input() && !right->is_input()) {
        return absl::InvalidArgumentError(
            absl::StrCat("cannot map ", text, ": neither is an input that needs a value"));
      }
      if ((left->taken && left->is_input()) || (right->taken && right->is_input())) {
        return absl::InvalidArgumentError(
            absl::StrCat("cannot map ", text, ": an input of it is mapped already"));
      }
      if (FitOf(left->type, right->type) == Fit::kNone) {
        return absl::InvalidArgumentError(absl::StrCat("cannot map ", text, ": left is ",
                                                       TypeText(left->type), ", right is ",
                                                       TypeText(right->type)));
      }
      Pair(*left, *right, MappedBy::kOption);
      return absl::OkStatus();
    }
    const size_t cut = std::min(text.find('='), text.size());
    const std::string right = cut < text.size() ? text.substr(cut + 1) : "";
    return absl::InvalidArgumentError(
        absl::StrCat("cannot map ", text, ": LEFT=RIGHT must name inputs; left: ", List(left_),
                     "; right: ", List(right_), DidYouMean(text.substr(0, cut), NamesOf(left_)),
                     DidYouMean(right, NamesOf(right_))));
  }

  static std::vector<std::string> NamesOf(const InputCandidates& side) {
    std::vector<std::string> names;
    for (size_t i = 0; i < side.size(); ++i) names.push_back(side[i].name);
    return names;
  }

  // The candidate by its name or a unique end of it; null if there is none.
  static InputCandidate* Meant(InputCandidates& side, const std::string& given) {
    const absl::StatusOr<std::string> name = MeantName(given, NamesOf(side), "inputs");
    return name.ok() ? side.Find(*name) : nullptr;
  }

  // Lists the inputs for messages.
  static std::string List(const InputCandidates& side) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < side.size() && side[i].is_input(); ++i) {
      texts.push_back(absl::StrCat("`", side[i].name, "` ", TypeText(side[i].type)));
    }
    return texts.empty() ? "none" : absl::StrJoin(texts, ", ");
  }

  void MatchNames() {
    for (size_t i = 0; i < left_.size(); ++i) {
      InputCandidate* right = right_.Find(left_[i].name);
      if (right != nullptr && FitOf(left_[i], *right) >= Fit::kCast) {
        Pair(left_[i], *right, MappedBy::kName);
      }
    }
    // Constants of the same name belong together, not to other inputs.
    for (size_t i = 0; i < left_.size(); ++i) {
      InputCandidate* right = right_.Find(left_[i].name);
      if (right != nullptr && !left_[i].is_input() && !right->is_input() &&
          FitOf(left_[i].type, right->type) >= Fit::kCast) {
        left_[i].taken = true;
        right->taken = true;
      }
    }
  }

  // Warns of two pairs that would fit better the other way round: names decide, but may be wrong.
  void CheckNames() {
    const auto likeness = [&](const MappedInput& left, const MappedInput& right) {
      return PlaceSimilarity(*left_.Find(left.left)->place, *right_.Find(right.right)->place);
    };
    const std::vector<MappedInput>& pairs = mapping_.pairs;
    for (size_t a = 0; a < pairs.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (pairs[a].how == MappedBy::kName && pairs[b].how == MappedBy::kName &&
            FitOf(left_.Find(pairs[a].left)->type, right_.Find(pairs[b].right)->type) >=
                Fit::kCast &&
            likeness(pairs[a], pairs[b]) > likeness(pairs[a], pairs[a]) &&
            likeness(pairs[b], pairs[a]) > likeness(pairs[b], pairs[b])) {
          mapping_.warnings.push_back(absl::StrCat(
              "`", pairs[b].left, "` and `", pairs[a].left,
              "` are matched by name, though the graphs use them the other way round; --map-input ",
              pairs[b].left, "=", pairs[a].right, " overrides it"));
        }
      }
    }
  }

  // Tells both graphs which of their values are equal.
  void Anchor() {
    absl::flat_hash_map<std::string, uint64_t> left;
    absl::flat_hash_map<std::string, uint64_t> right;
    for (size_t i = 0; i < mapping_.pairs.size(); ++i) {
      left[mapping_.pairs[i].left] = i;
      right[mapping_.pairs[i].right] = i;
    }
    left_.places().SetKnown(left);
    right_.places().SetKnown(right);
  }

  // All fitting pairs of which one side needs a partner.
  std::vector<Edge> Edges() const {
    std::vector<Edge> edges;
    for (size_t l = 0; l < left_.size(); ++l) {
      if (left_[l].taken || !left_[l].place->read) continue;
      for (size_t r = 0; r < right_.size(); ++r) {
        if (right_[r].taken || !right_[r].place->read) continue;
        const Fit fit = FitOf(left_[l], right_[r]);
        if (fit < Fit::kCast) continue;
        const int likeness = PlaceSimilarity(*left_[l].place, *right_[r].place);
        edges.push_back({l, r, likeness == 0 ? 0 : 2 * likeness + (fit == Fit::kExact ? 1 : 0)});
      }
    }
    return edges;
  }

  bool BothInputs(const Edge& edge) const {
    return left_[edge.left].is_input() && right_[edge.right].is_input();
  }

  // Pairs inputs that fit no other input, unless a constant's place fits as well.
  bool MatchTypes() {
    const std::vector<Edge> edges = Edges();
    bool found = false;
    for (const Fit least : {Fit::kExact, Fit::kCast}) {
      std::vector<int> left_count(left_.size());
      std::vector<int> right_count(right_.size());
      std::vector<int> left_best(left_.size());
      std::vector<int> right_best(right_.size());
      std::vector<Edge> fitting;
      for (const Edge& edge : edges) {
        left_best[edge.left] = std::max(left_best[edge.left], edge.score);
        right_best[edge.right] = std::max(right_best[edge.right], edge.score);
        if (BothInputs(edge) && FitOf(left_[edge.left], right_[edge.right]) >= least) {
          ++left_count[edge.left];
          ++right_count[edge.right];
          fitting.push_back(edge);
        }
      }
      for (const Edge& edge : fitting) {
        if (left_count[edge.left] == 1 && right_count[edge.right] == 1 &&
            edge.score >= left_best[edge.left] && edge.score >= right_best[edge.right]) {
          Pair(left_[edge.left], right_[edge.right], MappedBy::kType);
          found = true;
        }
      }
    }
    return found;
  }

  // The edges of the best score at both ends. Without any similarity, places are no evidence.
  std::vector<Edge> BestEdges() const {
    std::vector<Edge> edges = Edges();
    std::vector<int> left_best(left_.size(), 1);
    std::vector<int> right_best(right_.size(), 1);
    for (const Edge& edge : edges) {
      left_best[edge.left] = std::max(left_best[edge.left], edge.score);
      right_best[edge.right] = std::max(right_best[edge.right], edge.score);
    }
    edges.erase(std::remove_if(edges.begin(), edges.end(),
                               [&](const Edge& edge) {
                                 return edge.score < left_best[edge.left] ||
                                        edge.score < right_best[edge.right];
                               }),
                edges.end());
    return edges;
  }

  // The edges of which neither end has another.
  std::vector<Edge> LoneEdges(const std::vector<Edge>& edges) const {
    std::vector<int> left_count(left_.size());
    std::vector<int> right_count(right_.size());
    for (const Edge& edge : edges) {
      ++left_count[edge.left];
      ++right_count[edge.right];
    }
    std::vector<Edge> lone;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(lone), [&](const Edge& edge) {
      return left_count[edge.left] == 1 && right_count[edge.right] == 1;
    });
    return lone;
  }

  // Pairs candidates that are each other's only best.
  bool MatchPlaces() {
    bool found = false;
    for (const Edge& edge : LoneEdges(BestEdges())) {
      Pair(left_[edge.left], right_[edge.right], MappedBy::kPlace);
      found = true;
    }
    return found;
  }

  // Pairs equals, as the layers of a network are: as many on both sides, one after the other; or
  // constants of equal value, among which the choice does not matter.
  bool MatchRows() {
    const std::vector<Edge> edges = BestEdges();
    bool found = false;
    std::vector<bool> done(left_.size());
    for (const Edge& first : edges) {
      if (done[first.left]) continue;
      std::vector<size_t> rights = Ends(edges, first.left, &Edge::left, &Edge::right);
      std::vector<size_t> lefts = Ends(edges, first.right, &Edge::right, &Edge::left);
      for (const size_t left : lefts) done[left] = true;
      const bool complete = std::all_of(lefts.begin(), lefts.end(), [&](size_t left) {
        return Ends(edges, left, &Edge::left, &Edge::right) == rights;
      });
      if (!complete) continue;
      const bool rows = lefts.size() == rights.size() && SortByHeight(left_, &lefts) &&
                        SortByHeight(right_, &rights);
      const bool alike = (lefts.size() <= rights.size() && HoldTheSame(right_, rights)) ||
                         (rights.size() <= lefts.size() && HoldTheSame(left_, lefts));
      if (!rows && !alike) continue;
      for (size_t i = 0; i < std::min(lefts.size(), rights.size()); ++i) {
        Pair(left_[lefts[i]], right_[rights[i]], MappedBy::kPlace);
      }
      found = true;
    }
    return found;
  }

  static std::vector<size_t> Ends(const std::vector<Edge>& edges, size_t from, size_t Edge::*near,
                                  size_t Edge::*far) {
    std::vector<size_t> ends;
    for (const Edge& edge : edges) {
      if (edge.*near == from) ends.push_back(edge.*far);
    }
    return ends;
  }

  // Sorts highest first. False if two are equally high.
  static bool SortByHeight(const InputCandidates& side, std::vector<size_t>* indices) {
    const auto height = [&](size_t i) { return side[i].place->height; };
    std::stable_sort(indices->begin(), indices->end(),
                     [&](size_t a, size_t b) { return height(a) > height(b); });
    return std::adjacent_find(indices->begin(), indices->end(), [&](size_t a, size_t b) {
             return height(a) == height(b);
           }) == indices->end();
  }

  static bool HoldTheSame(const InputCandidates& side, const std::vector<size_t>& indices) {
    return std::all_of(indices.begin(), indices.end(), [&](size_t i) {
      return !side[i].is_input() && SameBits(*side[i].value, *side[indices[0]].value);
    });
  }

  // Optimizers merge constants of equal value, others copy them. So an input may match several
  // constants, or share a constant with other inputs, if each of its readers resembles one of
  // theirs.
  bool MatchShared() {
    bool found = false;
    for (size_t l = 0; l < left_.size(); ++l) {
      InputCandidate* constant = left_[l].needy() ? SharedConstant(left_[l], right_) : nullptr;
      if (constant == nullptr) continue;
      Pair(left_[l], *constant, MappedBy::kPlace);
      found = true;
    }
    for (size_t r = 0; r < right_.size(); ++r) {
      InputCandidate* constant = right_[r].needy() ? SharedConstant(right_[r], left_) : nullptr;
      if (constant == nullptr) continue;
      Pair(*constant, right_[r], MappedBy::kPlace);
      found = true;
    }
    return found;
  }

  // The most similar constants of all readers, if they have equal values; the first of them.
  static InputCandidate* SharedConstant(const InputCandidate& input, InputCandidates& side) {
    InputCandidate* shared = nullptr;
    for (const std::vector<uint64_t>& reader : input.place->readers) {
      int best = 0;
      std::vector<InputCandidate*> likest;
      for (size_t i = 0; i < side.size(); ++i) {
        InputCandidate& candidate = side[i];
        if (candidate.is_input() || FitOf(input.type, candidate.type) < Fit::kCast ||
            (candidate.taken &&
             candidate.claimed + input.place->readers.size() > candidate.place->readers.size())) {
          continue;
        }
        int likeness = 0;
        for (const std::vector<uint64_t>& other : candidate.place->readers) {
          likeness = std::max(likeness, ReaderSimilarity(reader, other));
        }
        if (likeness > best) likest.clear();
        best = std::max(best, likeness);
        if (likeness == best && likeness > 0) likest.push_back(&candidate);
      }
      if (likest.empty()) return nullptr;
      for (InputCandidate* candidate : likest) {
        if (shared == nullptr) shared = candidate;
        if (!SameBits(*shared->value, *candidate->value)) return nullptr;
      }
    }
    return shared;
  }

  // Pairs an input with a constant of a unique shape, even if they are read differently (a bias in
  // a fused operator). Single elements are too common for that.
  bool MatchLoneConstants() {
    bool found = false;
    for (const Edge& edge : LoneEdges(Edges())) {
      const Tensor* value =
          left_[edge.left].is_input() ? right_[edge.right].value : left_[edge.left].value;
      if (value != nullptr && value->num_elements() > 1) {
        Pair(left_[edge.left], right_[edge.right], MappedBy::kType);
        found = true;
      }
    }
    return found;
  }

  // Pairs the rest: the most similar first, in order of use among equals (the order of inputs is
  // what exporters agree on least), then in the inputs' order; inputs without readers last.
  void Guess() {
    std::vector<Edge> edges = Edges();
    edges.erase(std::remove_if(edges.begin(), edges.end(),
                               [&](const Edge& e) { return e.score == 0 && !BothInputs(e); }),
                edges.end());
    const auto key = [&](const Edge& edge) {
      return std::tuple(-edge.score, left_[edge.left].place->position,
                        right_[edge.right].place->position);
    };
    std::stable_sort(edges.begin(), edges.end(),
                     [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
    std::vector<std::string> guesses;
    const auto guess = [&](InputCandidate& left, InputCandidate& right) {
      Pair(left, right, MappedBy::kOrder);
      guesses.push_back(absl::StrCat("`", left.name, "` -> `", right.name, "`"));
    };
    for (const Edge& edge : edges) {
      if (!left_[edge.left].taken && !right_[edge.right].taken) {
        guess(left_[edge.left], right_[edge.right]);
      }
    }
    for (size_t l = 0; l < left_.size() && left_[l].is_input(); ++l) {
      for (size_t r = 0; r < right_.size() && right_[r].is_input(); ++r) {
        if (left_[l].needy() != right_[r].needy() && FitOf(left_[l], right_[r]) >= Fit::kCast) {
          guess(left_[l], right_[r]);
        }
      }
    }
    if (!guesses.empty()) {
      mapping_.warnings.push_back(
          absl::StrCat("inputs matched by their order, since nothing tells them apart: ",
                       absl::StrJoin(guesses, ", "), "; --map-input LEFT=RIGHT overrides it"));
    }
  }

  // Reports inputs that would match but for their sizes.
  absl::Status CheckSizes() {
    for (const MappedInput& pair : mapping_.pairs) {
      const InputCandidate& left = *left_.Find(pair.left);
      const InputCandidate& right = *right_.Find(pair.right);
      if (FitOf(left.type, right.type) == Fit::kSizes) return SizesDiffer(left, right);
    }
    for (size_t l = 0; l < left_.size() && left_[l].is_input(); ++l) {
      InputCandidate* right = right_.Find(left_[l].name);
      if (left_[l].needy() && right != nullptr && FitOf(left_[l], *right) == Fit::kSizes) {
        return SizesDiffer(left_[l], *right);
      }
    }
    for (size_t l = 0; l < left_.size() && left_[l].is_input(); ++l) {
      for (size_t r = 0; r < right_.size() && right_[r].is_input(); ++r) {
        if (left_[l].needy() && right_[r].needy() && FitOf(left_[l], right_[r]) == Fit::kSizes &&
            PlaceSimilarity(*left_[l].place, *right_[r].place) > 0) {
          return SizesDiffer(left_[l], right_[r]);
        }
      }
    }
    return absl::OkStatus();
  }

  static absl::Status SizesDiffer(const InputCandidate& left, const InputCandidate& right) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes differ: left ", left.is_input() ? "input" : "constant", " `", left.name, "` is ",
        TypeText(left.type), ", right ", right.is_input() ? "input" : "constant", " `", right.name,
        "` is ", TypeText(right.type)));
  }

  InputCandidates left_;
  InputCandidates right_;
  InputMapping mapping_;
};

}  // namespace

absl::StatusOr<InputMapping> MapInputs(const Graph& left, const Graph& right,
                                       absl::Span<const std::string> overrides) {
  if (overrides.empty()) {
    if (std::optional<InputMapping> mapping = MapByNames(left, right)) return *std::move(mapping);
  }
  Mapper mapper(left, right);
  OC_RETURN_IF_ERROR(mapper.Map(overrides));
  return mapper.Take();
}

}  // namespace onnxcmp
