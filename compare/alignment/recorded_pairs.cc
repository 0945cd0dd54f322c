#include "compare/alignment/recorded_pairs.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "compare/alignment/weights.h"
#include "compare/pair/per_side.h"
#include "compare/streams/result_names.h"

namespace onnxcmp {
namespace {

// The letters and digits of a name, in words.
std::vector<std::string> WordsOf(absl::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      words.back().push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Whether all words stand in `name` in this order.
bool AreInOrder(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  size_t next = 0;
  for (const std::string& word : name) {
    if (next < words.size() && words[next] == word) ++next;
  }
  return next == words.size();
}

// Whether a recorded name surely means a result of that name: all of its words are there in order,
// or it is that name with something before it or a number after it.
bool Means(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  if (AreInOrder(words, name)) return true;
  if (name.size() >= words.size()) return false;
  return std::equal(name.rbegin(), name.rend(), words.rbegin()) ||
         (name.size() + 1 == words.size() && std::equal(name.begin(), name.end(), words.begin()) &&
          absl::c_all_of(words.back(), absl::ascii_isdigit));
}

// How many words one of the two has that the other lacks, where it has all of the other's.
size_t OtherWords(const std::vector<std::string>& words, const std::vector<std::string>& name) {
  return std::max(words.size(), name.size()) - std::min(words.size(), name.size());
}

class RecordedPairs {
 public:
  RecordedPairs(const Alignment& alignment, const ResultStream& left, const ResultStream& right)
      : streams_{&left, &right}, partners_{alignment.left_to_right, alignment.right_to_left} {
    for (const SideId side : kBothSides) {
      for (const StreamResult& result : Stream(side).results) {
        contents_[side].insert(result.fingerprint.content);
      }
    }
  }

  std::vector<AddedPair> Find() {
    for (const SideId side : kBothSides) {
      if (!Stream(side).recorded) continue;
      BelieveOutputs(side);
      BelieveNames(side);
      BelieveNamesWithin(side);
      TakeNamesakes(side);
      TakeNamesWithin(side);
      TakePlaces(side);
    }
    return std::move(pairs_);
  }

 private:
  const ResultStream& Stream(SideId side) const { return *streams_[side]; }
  const StreamResult& Result(SideId side, int r) const { return Stream(side).results[Index(r)]; }
  int Size(SideId side) const { return static_cast<int>(Stream(side).results.size()); }
  int& Partner(SideId side, int r) { return partners_[side][Index(r)]; }
  bool Free(SideId side, int r) const { return partners_[side][Index(r)] == kNone; }
  // Whether a recorded result is looking for a partner: what the other side has bit for bit needs
  // none.
  bool IsOpen(SideId side, int r) const {
    return Counts(side, r) && Free(side, r) &&
           !contents_[Other(side)].contains(Result(side, r).fingerprint.content);
  }

  // What a recording may say something about: no inputs, which are fed.
  bool Counts(SideId side, int r) const {
    const ResultKind kind = Result(side, r).kind;
    return kind != ResultKind::kInput && kind != ResultKind::kOutput;
  }

  void Pair(SideId side, int own, int other, Mark how) {
    for (const auto& [of, r] : {std::pair(side, own), std::pair(Other(side), other)}) {
      if (const int before = Partner(of, r); before != kNone) Partner(Other(of), before) = kNone;
    }
    Partner(side, own) = other;
    Partner(Other(side), other) = own;
    pairs_.push_back(side == SideId::kLeft ? AddedPair{own, other, how}
                                           : AddedPair{other, own, how});
  }

  // By name: the last result of the other side that has it and is no output row.
  absl::flat_hash_map<std::string, int> NamesOfOther(SideId side) const {
    absl::flat_hash_map<std::string, int> names;
    for (int r = 0; r < Size(Other(side)); ++r) {
      if (Counts(Other(side), r)) names[FullName(Result(Other(side), r))] = r;
    }
    return names;
  }

  bool IsNear(SideId side, int own, int other) const {
    return SketchDistance(Result(side, own).fingerprint, Result(Other(side), other).fingerprint) <=
           weights::kNearNamesake;
  }

  // What is called as a model's output is meant to be it.
  void BelieveOutputs(SideId side) {
    absl::flat_hash_map<std::string, int> outputs;
    for (int r = 0; r < Size(Other(side)); ++r) {
      const StreamResult& result = Result(Other(side), r);
      if (result.kind == ResultKind::kOutput && result.source != kNone) {
        outputs[result.name] = result.source;
      }
    }
    for (int r = 0; r < Size(side); ++r) {
      if (!Counts(side, r)) continue;
      const auto it = outputs.find(Result(side, r).name);
      if (it != outputs.end()) Believe(side, r, it->second);
    }
  }

  // Takes a result to be its namesake, whatever its values are like.
  void Believe(SideId side, int own, int other) {
    const int now = Partner(side, own);
    if (now == other) return;
    // Of equal values any may be the partner.
    const Hash128 wanted = Result(Other(side), other).fingerprint.content;
    if ((now != kNone && Result(Other(side), now).fingerprint.content == wanted) ||
        Result(side, own).fingerprint.content == wanted) {
      return;
    }
    Pair(side, own, other, Mark::kNamed);
  }

  void BelieveNames(SideId side) {
    const absl::flat_hash_map<std::string, int> names = NamesOfOther(side);
    std::vector<std::pair<int, int>> namesakes;
    int recorded = 0;
    int near = 0;
    int same_size = 0;
    for (int r = 0; r < Size(side); ++r) {
      if (!Counts(side, r)) continue;
      ++recorded;
      const std::string name = FullName(Result(side, r));
      const auto it = names.find(name);
      if (it == names.end() || absl::c_all_of(name, absl::ascii_isdigit)) continue;
      namesakes.emplace_back(r, it->second);
      if (IsNear(side, r, it->second)) ++near;
      if (SameSize(side, r, it->second)) ++same_size;
    }
    const auto count = static_cast<double>(namesakes.size());
    if (namesakes.empty() || count < weights::kSharedNames * recorded ||
        (near < weights::kAgreeingNames * count &&
         same_size < weights::kNamesakesOfOneSize * count)) {
      return;
    }
    for (const auto& [own, other] : namesakes) Believe(side, own, other);
    // Whom that left alone has its own namesake.
    for (const auto& [own, other] : namesakes) {
      if (Free(side, own)) Pair(side, own, other, Mark::kNamed);
    }
  }

  // The same for names that say in their parts which result is meant, if most that do so have
  // values that bear it out.
  void BelieveNamesWithin(SideId side) {
    std::vector<std::vector<std::string>> names(Index(Size(Other(side))));
    for (int r = 0; r < Size(Other(side)); ++r)
      names[Index(r)] = WordsOf(FullName(Result(Other(side), r)));
    const auto fits = [&](const std::vector<std::string>& words, int other) {
      return Means(words, names[Index(other)]);
    };
    std::vector<std::pair<int, int>> otherwise;
    int borne_out = 0;
    for (int r = 0; r < Size(side) && otherwise.size() < weights::kMostContradicted; ++r) {
      const int partner = Partner(side, r);
      // What is open has its turn later; what is a copy of something may be called as another.
      if (!Counts(side, r) || Result(side, r).fingerprint.size <= kHandful || IsOpen(side, r) ||
          (partner != kNone && !Counts(Other(side), partner))) {
        continue;
      }
      const std::vector<std::string> words = WordsOf(FullName(Result(side, r)));
      if (words.size() < 2) continue;
      if (partner != kNone && fits(words, partner)) {
        ++borne_out;
        continue;
      }
      int best = kNone;
      size_t fewest = 0;
      for (int other = 0; other < Size(Other(side)); ++other) {
        if (!Counts(Other(side), other) || !SameSize(side, r, other) ||
            Result(Other(side), other).kind == ResultKind::kInitializer || !fits(words, other)) {
          continue;
        }
        const size_t rest = OtherWords(words, names[Index(other)]);
        if (best != kNone && rest > fewest) continue;
        best = other;
        fewest = rest;
      }
      if (best == kNone) continue;
      // Of equal values another one may be the partner.
      if (IsNear(side, r, best)) {
        ++borne_out;
      } else {
        otherwise.emplace_back(r, best);
      }
    }
    const double told = borne_out + static_cast<double>(otherwise.size());
    if (otherwise.empty() || borne_out < weights::kBorneOut * told) return;
    for (const auto& [own, other] : otherwise) Believe(side, own, other);
  }

  void TakeNamesakes(SideId side) {
    const absl::flat_hash_map<std::string, int> names = NamesOfOther(side);
    for (int r = 0; r < Size(side); ++r) {
      if (!IsOpen(side, r)) continue;
      const auto it = names.find(FullName(Result(side, r)));
      if (it != names.end() && Free(Other(side), it->second))
        Pair(side, r, it->second, Mark::kNamed);
    }
  }

  void TakeNamesWithin(SideId side) {
    std::vector<std::pair<int, std::vector<std::string>>> others;
    for (int r = 0; r < Size(Other(side)) && others.size() < weights::kMostNames; ++r) {
      if (Counts(Other(side), r) && Free(Other(side), r) &&
          Result(Other(side), r).kind != ResultKind::kInitializer) {
        others.emplace_back(r, WordsOf(FullName(Result(Other(side), r))));
      }
    }
    const absl::flat_hash_map<std::string, int> names = NamesOfOther(side);
    size_t looked = 0;
    for (int r = 0; r < Size(side) && looked < weights::kMostNames; ++r) {
      // Whose name the other side has is not called otherwise there.
      if (!IsOpen(side, r) || names.contains(FullName(Result(side, r)))) continue;
      ++looked;
      const std::vector<std::string> words = WordsOf(FullName(Result(side, r)));
      // A number alone names nothing.
      if (words.empty() || (words.size() == 1 && absl::c_all_of(words[0], absl::ascii_isdigit))) {
        continue;
      }
      int best = kNone;
      // What is near goes before what has fewer other words.
      std::pair<double, size_t> least;
      for (const auto& [other, name] : others) {
        if (!Free(Other(side), other) || !SameSize(side, r, other) || !Means(words, name)) continue;
        const double distance =
            SketchDistance(Result(side, r).fingerprint, Result(Other(side), other).fingerprint);
        const std::pair<double, size_t> rest = {distance <= weights::kNearNamesake ? distance : 1,
                                                OtherWords(words, name)};
        if (best != kNone && rest > least) continue;
        best = other;
        least = rest;
      }
      if (best != kNone) Pair(side, r, best, Mark::kNamed);
    }
  }

  bool SameSize(SideId side, int own, int other) const {
    return Result(side, own).fingerprint.size == Result(Other(side), other).fingerprint.size &&
           Result(side, own).fingerprint.kind == Result(Other(side), other).fingerprint.kind;
  }

  // Between the partners of the paired neighbours the only free result of its shape.
  void TakePlaces(SideId side) {
    std::vector<int> after(Index(Size(side)), Size(Other(side)));
    int next = Size(Other(side));
    for (int r = Size(side) - 1; r >= 0; --r) {
      after[Index(r)] = next;
      if (Counts(side, r) && !Free(side, r)) next = Partner(side, r);
    }
    int before = kNone;
    size_t looked = 0;
    for (int r = 0; r < Size(side) && looked < weights::kMostNames; ++r) {
      if (!Counts(side, r)) continue;
      if (!Free(side, r)) {
        before = Partner(side, r);
        continue;
      }
      if (!IsOpen(side, r)) continue;
      ++looked;
      std::optional<int> only;
      int count = 0;
      for (int other = before + 1; other < after[Index(r)]; ++other) {
        const StreamResult& result = Result(Other(side), other);
        if (!Counts(Other(side), other) || !Free(Other(side), other) ||
            result.kind == ResultKind::kInitializer || !SameSize(side, r, other) ||
            result.shape != Result(side, r).shape) {
          continue;
        }
        ++count;
        if (!only.has_value()) only = other;
      }
      if (count != 1) continue;
      Pair(side, r, *only, Mark::kPlaced);
      before = *only;
    }
  }

  PerSide<const ResultStream*> streams_;
  PerSide<std::vector<int>> partners_;
  PerSide<absl::flat_hash_set<Hash128>> contents_;
  std::vector<AddedPair> pairs_;
};

}  // namespace

std::vector<AddedPair> PairRecorded(const Alignment& alignment, const ResultStream& left,
                                    const ResultStream& right) {
  if (!left.recorded && !right.recorded) return {};
  return RecordedPairs(alignment, left, right).Find();
}

}  // namespace onnxcmp
