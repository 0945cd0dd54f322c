#include "compare/recorded/names_and_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/alignment/weights.h"
#include "compare/recorded/name_evidence.h"
#include "compare/recorded/names.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/streams/common_form.h"
#include "record/streams/downstream.h"

namespace onnxcmp {
namespace {

// A result that is near a recorded one.
struct NearResult {
  int other = kNone;
  double distance = 0;
};

// Facts about a recorded result, collected before any decision.
struct Known {
  NamedResult named;
  std::optional<double> named_distance;  // nothing: it is not near
  std::vector<NearResult> near;          // the nearest first
};

class RecordedPairs {
 public:
  explicit RecordedPairs(const RecordingView& view)
      : view_(view),
        streams_{view.sides().left.stream, view.sides().right.stream},
        partners_{view.settled().left_to_right, view.settled().right_to_left} {
    for (const SideId side : kBothSides) {
      for (const StreamResult& result : Stream(side).results) {
        contents_[side].insert(result.fingerprint.content);
      }
    }
    for (const AlignedRow& row : view.settled().rows) {
      if (!row.paired()) continue;
      // Pairs that the user gave, and those with other positions of elements, stay.
      const bool stays = Has(row.marks, Mark::kGiven) || Has(row.marks, Mark::kEntry) ||
                         Has(row.marks, Mark::kTransposed);
      if (!stays) continue;
      fixed_.left.insert(row.left.back());
      fixed_.right.insert(row.right.back());
    }
  }

  std::vector<Claim> Find() {
    const SideId side = view_.side();
    Look(side);
    Decide(side);
    TakeOutput(side);
    TakePlaces(side);
    return Claims(side);
  }

 private:
  const ResultStream& Stream(SideId side) const { return *streams_[side]; }
  const StreamResult& Result(SideId side, int r) const { return Stream(side).results[Index(r)]; }
  int Size(SideId side) const { return static_cast<int>(Stream(side).results.size()); }

  // True for results that a recording may pair; inputs are fed.
  bool Counts(SideId side, int r) const {
    const ResultKind kind = Result(side, r).kind;
    return kind != ResultKind::kInput && kind != ResultKind::kOutput;
  }

  std::optional<double> DistanceIfNear(SideId side, int own, int other) const {
    return DistanceWithinReach(Result(side, own), Result(Other(side), other));
  }
  bool Tells(SideId side, int r) const { return TellsApart(Result(side, r)); }

  void Look(SideId side) {
    const RecordedNames names(Stream(side), Stream(Other(side)));
    absl::flat_hash_map<std::pair<int64_t, ElementKind>, std::vector<int>> by_size;
    for (int o = 0; o < Size(Other(side)); ++o) {
      if (!Counts(Other(side), o)) continue;
      const Fingerprint& fingerprint = Result(Other(side), o).fingerprint;
      by_size[{fingerprint.size, fingerprint.kind}].push_back(o);
    }
    known_.resize(Index(Size(side)));
    chosen_.assign(known_.size(), kNone);
    how_.assign(known_.size(), Rule::kValues);
    size_t looked = 0;
    for (int r = 0; r < Size(side); ++r) {
      if (!Counts(side, r) || fixed_[side].contains(r)) continue;
      chosen_[Index(r)] = partners_[side][Index(r)];
      if (looked++ >= work_bounds::kLooks) continue;
      Known& known = known_[Index(r)];
      known.named = names.Find(r);
      if (known.named.result != kNone) {
        known.named_distance = DistanceIfNear(side, r, known.named.result);
      }
      const Fingerprint& fingerprint = Result(side, r).fingerprint;
      const auto it = by_size.find({fingerprint.size, fingerprint.kind});
      if (it == by_size.end()) continue;
      for (const int o : it->second) {
        const std::optional<double> distance = DistanceIfNear(side, r, o);
        if (distance.has_value()) known.near.push_back({o, *distance});
      }
      absl::c_stable_sort(known.near, [](const NearResult& a, const NearResult& b) {
        return a.distance < b.distance;
      });
    }
    LeadToDequantized(side);
  }

  void LeadToDequantized(SideId side) {
    std::vector<int> named;
    for (const Known& known : known_) named.push_back(known.named.result);
    const auto forms = DequantizedForms(Stream(side), Stream(Other(side)), named);
    for (int r = 0; r < Size(side); ++r) {
      const auto it = forms.find(named[Index(r)]);
      if (it == forms.end()) continue;
      known_[Index(r)].named.result = it->second;
      known_[Index(r)].named_distance = DistanceIfNear(side, r, it->second);
    }
  }

  void Decide(SideId side) {
    std::array<NameEvidence, 6> evidence;
    for (int r = 0; r < Size(side); ++r) {
      const Known& known = known_[Index(r)];
      if (known.named.result == kNone) continue;
      NameEvidence& of_rule = evidence[static_cast<size_t>(known.named.rule)];
      ++of_rule.all;
      if (Result(side, r).fingerprint.size ==
          Result(Other(side), known.named.result).fingerprint.size) {
        ++of_rule.same_size;
      }
      if (!Tells(side, r)) continue;
      ++(known.named_distance.has_value() ? of_rule.agree
         : known.near.empty()             ? of_rule.open
                                          : of_rule.contradicted);
    }
    std::vector<int> contradicted;
    for (int r = 0; r < Size(side); ++r) {
      if (!Counts(side, r) || fixed_[side].contains(r)) continue;
      const Known& known = known_[Index(r)];
      const bool trusted =
          evidence[static_cast<size_t>(known.named.rule)].trusted(known.named.rule);
      if (known.named_distance.has_value()) {
        Choose(r, IsMeant(known, trusted) ? known.named.result : NearestOf(side, r, known), side);
      } else if (known.near.empty()) {
        if (known.named.result != kNone && (trusted || !IsPaired(r))) {
          chosen_[Index(r)] = known.named.result;
          how_[Index(r)] = Rule::kNames;
        }
      } else {
        Choose(r, NearestOf(side, r, known), side);
        if (known.named.result != kNone && trusted) contradicted.push_back(r);
      }
    }
    for (const int r : contradicted) {
      const Known& known = known_[Index(r)];
      if (!NameBeatsValue(side, r, known)) continue;
      chosen_[Index(r)] = known.named.result;
      how_[Index(r)] = Rule::kNames;
    }
  }

  bool IsPaired(int r) const { return chosen_[Index(r)] != kNone; }

  // True if a near result is the one its name refers to: no other is much nearer.
  static bool IsMeant(const Known& known, bool trusted) {
    return trusted || known.near.empty() ||
           *known.named_distance <=
               weights::kTimesNearer * known.near.front().distance + weights::kMovedFrom;
  }

  // The nearest; of equally near ones the aligned partner, else the first.
  int NearestOf(SideId side, int r, const Known& known) const {
    if (known.near.empty()) return partners_[side][Index(r)];
    const int now = partners_[side][Index(r)];
    const double most = weights::kAsNear * known.near.front().distance + weights::kMovedFrom;
    for (const NearResult& near : known.near) {
      if (near.distance > most) break;
      if (near.other == now) return now;
    }
    return known.near.front().other;
  }

  // An exact value beats a name that is only similar. The same name always wins, a module's if the
  // value's result has another recorded result named after it: a result that repeats another is a
  // fault of its own.
  bool NameBeatsValue(SideId side, int r, const Known& known) const {
    switch (known.named.rule) {
      case NameRule::kOutput:
        return true;
      case NameRule::kSame:
      case NameRule::kCounted:
        return !IsNameOfAnother(side, r) &&
               QuantizedFrom(Stream(Other(side)), known.near.front().other) != known.named.result;
      case NameRule::kModule:
        return !IsClaimed(side, r, known.named.result) &&
               IsCalled(side, r, known.near.front().other);
      case NameRule::kWithin:
        return known.near.front().distance > weights::kSameValue && Tells(side, r);
      case NameRule::kNone:
        break;
    }
    return false;
  }
  // True if the other side has the name for another result: what is called so there was recorded
  // under a name that it lacks, maybe after others whose names moved on. Values that were exchanged
  // have each other's names.
  bool IsNameOfAnother(SideId side, int r) const {
    // Nothing that passed through integers is exact.
    const bool is_coarse = IsInteger(Result(side, r).precision);
    if ((!is_coarse && known_[Index(r)].near.front().distance > weights::kSameValue) ||
        !Tells(side, r)) {
      return false;
    }
    absl::flat_hash_set<int> seen;
    while (seen.insert(r).second) {
      r = RecordedOf(side, known_[Index(r)].named.result);
      if (r == kNone || known_[Index(r)].named_distance.has_value()) return false;
      const NameRule rule = known_[Index(r)].named.rule;
      if (rule != NameRule::kSame && rule != NameRule::kCounted) return rule != NameRule::kOutput;
    }
    return false;
  }
  // A recorded result with the value of one of the other side's.
  int RecordedOf(SideId side, int other) const {
    for (int own = 0; own < Size(side); ++own) {
      if (!Counts(side, own) || !Tells(side, own)) continue;
      // No result that passed through integers has the exact value.
      const bool is_coarse = IsInteger(Result(side, own).precision);
      if (absl::c_any_of(known_[Index(own)].near, [&](const NearResult& one) {
            return one.other == other && (is_coarse || one.distance <= weights::kSameValue);
          })) {
        return own;
      }
    }
    return kNone;
  }
  // True if another recorded result is already paired with this one.
  bool IsClaimed(SideId side, int r, int other) const {
    for (int own = 0; own < Size(side); ++own) {
      if (own != r && Counts(side, own) && chosen_[Index(own)] == other) return true;
    }
    return false;
  }
  // True if another recorded result is named after this one, and near it.
  bool IsCalled(SideId side, int r, int other) const {
    for (int own = 0; own < Size(side); ++own) {
      const Known& known = known_[Index(own)];
      if (own != r && known.named.result == other && known.named_distance.has_value()) return true;
    }
    return false;
  }

  void Choose(int r, int other, SideId side) {
    if (other == kNone) return;
    const int now = chosen_[Index(r)];
    // Equal values may be partners of each other alike.
    if (now != kNone && now != other && Counts(Other(side), now) &&
        Result(Other(side), now).fingerprint.content ==
            Result(Other(side), other).fingerprint.content) {
      return;
    }
    chosen_[Index(r)] = other;
  }

  // True if most of the other side's results have a partner.
  bool IsWhole(SideId side) const {
    int all = 0;
    int paired = 0;
    for (int other = 0; other < Size(Other(side)); ++other) {
      if (Result(Other(side), other).node == kNone || !Tells(Other(side), other)) continue;
      ++all;
      if (absl::c_linear_search(chosen_, other)) ++paired;
    }
    return paired > 1 && paired + 1 >= weights::kMostly * all;
  }

  // The last recorded result is the output, however wrong. If it repeats what the other side's last
  // node reads, or anything if all else was recorded, the last step was skipped. A Dropout says so.
  void TakeOutput(SideId side) {
    int last = Size(side) - 1;
    while (last >= 0 && !Counts(side, last)) --last;
    if (last < 0 || fixed_[side].contains(last) || !IsInOrder(side)) return;
    if (!IsPaired(last)) {
      chosen_[Index(last)] = FreeOutputFor(Result(side, last), Stream(Other(side)), chosen_);
      how_[Index(last)] = Rule::kPlaces;
      return;
    }
    if (!Tells(side, last) || known_[Index(last)].named.result != kNone ||
        PassesOn(Result(side, last).name)) {
      return;
    }
    const Hash128& content = Result(side, last).fingerprint.content;
    bool is_copy = false;
    for (int r = 0; r < last; ++r) {
      is_copy = is_copy || (Counts(side, r) && Result(side, r).fingerprint.content == content);
    }
    const ResultStream& model = Stream(Other(side));
    std::vector<int> skipped;
    for (const StreamResult& output : model.results) {
      if (output.kind != ResultKind::kOutput || output.source == kNone) continue;
      const StreamResult& shown = model.results[Index(output.source)];
      if (shown.node == kNone || absl::c_linear_search(chosen_, output.source)) continue;
      const StreamNode& node = model.nodes[Index(shown.node)];
      const bool is_next = absl::c_linear_search(node.inputs, chosen_[Index(last)]);
      const bool has_shape = shown.shape == Result(side, last).shape;
      if (has_shape && (is_next || IsWhole(side))) skipped.push_back(output.source);
    }
    if (!is_copy || skipped.size() != 1) return;
    chosen_[Index(last)] = skipped.front();
    how_[Index(last)] = Rule::kPlaces;
  }

  // True if the recording has the order of the other side: files without an order are sorted by
  // name.
  bool IsInOrder(SideId side) const {
    int pairs = 0;
    int rising = 0;
    int before = kNone;
    for (int r = 0; r < Size(side); ++r) {
      if (!Counts(side, r) || !Tells(side, r) || chosen_[Index(r)] == kNone ||
          known_[Index(r)].near.empty()) {
        continue;
      }
      if (before != kNone) {
        ++pairs;
        if (chosen_[Index(r)] >= before) ++rising;
      }
      before = chosen_[Index(r)];
    }
    return rising >= weights::kMostly * pairs;
  }

  // Pairs a recorded result with the only free result of its shape between the partners of its
  // neighbours, or with the first of as many as the recording has there without a partner.
  void TakePlaces(SideId side) {
    if (!IsInOrder(side)) return;
    std::vector<bool> taken(Index(Size(Other(side))));
    for (const int other : chosen_) {
      if (other != kNone) taken[Index(other)] = true;
    }
    std::vector<int> after(Index(Size(side)), Size(Other(side)));
    int next = Size(Other(side));
    for (int r = Size(side) - 1; r >= 0; --r) {
      after[Index(r)] = next;
      if (Counts(side, r) && IsPaired(r)) next = chosen_[Index(r)];
    }
    int before = kNone;
    size_t looked = 0;
    for (int r = 0; r < Size(side) && looked < work_bounds::kLooks; ++r) {
      if (!Counts(side, r)) continue;
      if (IsPaired(r)) {
        before = chosen_[Index(r)];
        continue;
      }
      // A result with the bits of one of the other side needs none.
      if (contents_[Other(side)].contains(Result(side, r).fingerprint.content)) continue;
      // Positions and shapes are computed in many ways, and occur anywhere.
      if (Result(side, r).fingerprint.kind != ElementKind::kFloat &&
          BitWidth(Result(side, r).dtype) != 8) {
        continue;
      }
      ++looked;
      std::vector<int> places;
      for (int other = before + 1; other < after[Index(r)]; ++other) {
        const StreamResult& result = Result(Other(side), other);
        if (!Counts(Other(side), other) || taken[Index(other)] ||
            result.kind == ResultKind::kInitializer || result.shape != Result(side, r).shape ||
            IsBlocked(result, Stream(Other(side))) ||
            result.fingerprint.kind != Result(side, r).fingerprint.kind) {
          continue;
        }
        places.push_back(other);
      }
      if (places.size() != WithoutPartner(side, r)) DropFused(Stream(Other(side)), &places);
      if (places.empty() || places.size() != WithoutPartner(side, r)) continue;
      chosen_[Index(r)] = places[0];
      how_[Index(r)] = Rule::kPlaces;
      taken[Index(places[0])] = true;
      before = places[0];
    }
  }

  // Number of recorded results of the same shape from here to the next one with a partner that have
  // none.
  size_t WithoutPartner(SideId side, int r) const {
    const StreamResult& first = Result(side, r);
    size_t count = 0;
    for (int next = r; next < Size(side); ++next) {
      const StreamResult& result = Result(side, next);
      if (!Counts(side, next)) continue;
      if (IsPaired(next)) break;
      if (result.shape == first.shape && result.fingerprint.kind == first.fingerprint.kind) ++count;
    }
    return count;
  }

  // Several recorded results may have one partner: the one named after it has its row, else the
  // aligned one.
  std::vector<Claim> Claims(SideId side) const {
    std::vector<Claim> claims;
    for (int r = 0; r < Size(side); ++r) {
      const int other = chosen_[Index(r)];
      if (!Counts(side, r) || other == kNone || fixed_[side].contains(r) ||
          fixed_[Other(side)].contains(other)) {
        continue;
      }
      const bool called = known_[Index(r)].named.result == other;
      const bool aligned = partners_[Other(side)][Index(other)] == r;
      claims.push_back(ClaimOf(how_[Index(r)], side, r, other,
                               (called ? weights::kStrongSign : 0) + (aligned ? 1 : 0)));
    }
    return claims;
  }

  const RecordingView& view_;
  PerSide<const ResultStream*> streams_;
  PerSide<const std::vector<int>&> partners_;
  PerSide<absl::flat_hash_set<Hash128>> contents_;
  PerSide<absl::flat_hash_set<int>> fixed_;
  std::vector<Known> known_;  // by recorded result, as the next two
  std::vector<int> chosen_;
  std::vector<Rule> how_;  // kValues unless another rule has chosen
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimByNamesAndValues(const RecordingView& view,
                                                         PairingRuns& /*runs*/) {
  return RecordedPairs(view).Find();
}

}  // namespace onnxcmp
