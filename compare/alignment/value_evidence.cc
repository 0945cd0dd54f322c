#include "compare/alignment/value_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "compare/alignment/weights.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

bool IsByteInteger(DType dtype) { return IsInteger(dtype) && BitWidth(dtype) <= 8; }

// A content that may have near ones, as an entry of a list sorted by `rms`.
struct Entry {
  double rms = 0;    // root mean square of c(x)
  double plain = 0;  // root mean square of x
  int content = 0;
  int result = 0;  // one of the results
};

bool Before(const Entry& a, const Entry& b) {
  return a.rms != b.rms ? a.rms < b.rms : a.result < b.result;
}

// Size, and whether the elements are floats.
using SizeClass = std::pair<int64_t, bool>;

// Contents of one side by size, sorted. Those that occur equally often on both sides are left out:
// they pair with their equals.
std::map<SizeClass, std::vector<Entry>> SortedContents(const StreamIndex& side,
                                                       const StreamIndex& other, int contents) {
  std::map<SizeClass, std::vector<Entry>> sorted;
  for (int content = 0; content < contents; ++content) {
    const auto results = side.of_content[content];
    if (results.empty() || results.size() == other.of_content[content].size()) continue;
    const int r = results.front();
    const Fingerprint& f = side.fingerprint(r);
    const bool floating = f.kind == ElementKind::kFloat;
    if (!f.has_sketch || (!floating && !IsByteInteger(side.result(r).dtype))) continue;
    const Numbers& numbers = f.numbers();
    sorted[{f.size, floating}].push_back({numbers.squashed.rms, numbers.plain.rms, content, r});
  }
  for (auto& [size, entries] : sorted) std::sort(entries.begin(), entries.end(), Before);
  return sorted;
}

bool IsBetter(const Nearness& a, const Nearness& b) { return a.value > b.value; }

void KeepBest(std::vector<Nearness>& list, size_t most) {
  std::stable_sort(list.begin(), list.end(), IsBetter);
  if (list.size() > most) list.resize(most);
}

// Two contents that are near each other.
struct NearPair {
  int left = 0;
  int right = 0;
  double value = 0;
};

}  // namespace

ValueEvidence::ValueEvidence(const AlignmentIndex& index)
    : index_(index), asked_(static_cast<size_t>(index.contents) / kAskedTogether + 1) {
  FindNear();
}

uint64_t ValueEvidence::KeyOf(int l, int r) const {
  return (static_cast<uint64_t>(StreamIndex::At(index_.left.content, l)) << 32) |
         static_cast<uint64_t>(StreamIndex::At(index_.right.content, r));
}

double ValueEvidence::Distance(int l, int r) const {
  if (SameContent(l, r)) return 0;
  return SketchDistance(index_.left.fingerprint(l), index_.right.fingerprint(r));
}

double ValueEvidence::Value(int l, int r) const {
  const int right = StreamIndex::At(index_.right.content, r);
  Asked& asked = AskedOf(StreamIndex::At(index_.left.content, l));
  for (size_t i = 0; i < Asked::kMostKept; ++i) {
    if (asked.rights[i] == right) return asked.values[i];
  }
  double value = ComputeValue(l, r);
  if (!raised_.empty()) {
    if (const auto it = raised_.find(KeyOf(l, r)); it != raised_.end()) value = it->second;
  }
  Remember(right, value, &asked);
  return value;
}

ValueEvidence::Asked& ValueEvidence::AskedOf(int content) const {
  std::unique_ptr<AskedBlock>& block = asked_[static_cast<size_t>(content) / kAskedTogether];
  if (block == nullptr) {
    block = std::make_unique<AskedBlock>();
    for (Asked& asked : *block) asked.rights.fill(kNone);
  }
  return (*block)[static_cast<size_t>(content) % kAskedTogether];
}

void ValueEvidence::Remember(int right, double value, Asked* asked) {
  asked->rights[asked->next] = right;
  asked->values[asked->next] = value;
  asked->next = static_cast<uint8_t>((asked->next + 1) % Asked::kMostKept);
}

double ValueEvidence::ComputeValue(int l, int r) const {
  const StreamIndex& left = index_.left;
  const StreamIndex& right = index_.right;
  const Fingerprint& a = left.fingerprint(l);
  const Fingerprint& b = right.fingerprint(r);
  if (SameContent(l, r)) {
    const int content = StreamIndex::At(left.content, l);
    const double repeats = static_cast<double>(left.of_content[content].size()) *
                           static_cast<double>(right.of_content[content].size());
    return weights::kEqualContent + (a.rich ? weights::kRichContent : 0) -
           std::min(weights::kMostRepeatedContent,
                    weights::kRepeatedContent * std::log2(std::max(1.0, repeats)));
  }
  const bool rich = a.rich && b.rich;
  double value = weights::kContrary;
  if (a.size == b.size && a.has_sketch && b.has_sketch) {
    const double d = SketchDistance(a, b);
    const double places = -std::log10(std::max(d, weights::kLeastDistance));
    if (d <= weights::kNear) {
      value =
          weights::kNearValues + weights::kPlaceOfNear * places - (rich ? 0 : weights::kPoorNear);
    } else if (d < weights::kOutOfSight) {
      value = weights::kPlaceOfFar * places - weights::kFarValues;
    } else {
      value = weights::kContrary;
    }
    if (StreamIndex::At(left.shape, l) != StreamIndex::At(right.shape, r)) {
      value += weights::kOtherShape;
    }
    const DType left_type = left.result(l).dtype;
    const DType right_type = right.result(r).dtype;
    // Integers of more than 8 bits, as ids and sizes, are either equal or different.
    const bool wide = (IsInteger(left_type) && BitWidth(left_type) > 8) ||
                      (IsInteger(right_type) && BitWidth(right_type) > 8);
    if (a.kind != b.kind || (wide && d > 0)) value += weights::kContrary;
  }
  if (StreamIndex::At(left.bits, l) == StreamIndex::At(right.bits, r)) {
    value = std::max(value, rich ? weights::kSameBits : weights::kSamePoor);
  } else if (StreamIndex::At(left.elements, l) == StreamIndex::At(right.elements, r)) {
    value = std::max(value, rich ? weights::kSameElements : weights::kSamePoor);
  }
  return value;
}

bool ValueEvidence::SameMoments(int l, int r) const {
  const Fingerprint& a = index_.left.fingerprint(l);
  const Fingerprint& b = index_.right.fingerprint(r);
  if (a.kind != ElementKind::kFloat || b.kind != ElementKind::kFloat || !a.rich || !b.rich ||
      a.size != b.size || a.size < weights::kLeastForMoments) {
    return false;
  }
  const double tolerance = index_.has_half ? weights::kHalfMoments : weights::kFloatMoments;
  const Numbers& ours = a.numbers();
  const Numbers& theirs = b.numbers();
  const double within = tolerance * std::max(ours.moments[1], theirs.moments[1]);
  // The moments are of squashed values, in which all masks are alike.
  const double rms = std::max(ours.plain.rms, theirs.plain.rms);
  if (!(std::abs(ours.plain.rms - theirs.plain.rms) <= tolerance * rms)) return false;
  for (size_t m = 0; m < ours.moments.size(); ++m) {
    if (!(std::abs(ours.moments[m] - theirs.moments[m]) <= within)) return false;
  }
  return true;
}

void ValueEvidence::RaiseToMoments(int l, int r) {
  const double value = std::max(ComputeValue(l, r), weights::kSameMoments);
  raised_[KeyOf(l, r)] = value;
  const int right = StreamIndex::At(index_.right.content, r);
  Asked& asked = AskedOf(StreamIndex::At(index_.left.content, l));
  for (size_t i = 0; i < Asked::kMostKept; ++i) {
    if (asked.rights[i] == right) asked.values[i] = value;
  }
}

void ValueEvidence::FindNear() {
  const auto left = SortedContents(index_.left, index_.right, index_.contents);
  const auto right = SortedContents(index_.right, index_.left, index_.contents);
  std::vector<Nearness> found;
  std::vector<NearPair> pairs;
  for (const auto& [size, entries] : left) {
    const auto others = right.find(size);
    if (others == right.end()) continue;
    const std::vector<Entry>& candidates = others->second;
    for (const Entry& entry : entries) {
      found.clear();
      const double reach = weights::kNear * entry.rms;
      const auto middle = std::lower_bound(candidates.begin(), candidates.end(), entry.rms,
                                           [](const Entry& c, double rms) { return c.rms < rms; });
      const auto consider = [&](const Entry& candidate) {
        if (candidate.content == entry.content) return;
        // Most candidates are rejected without the projections.
        if (std::abs(entry.plain - candidate.plain) >
            weights::kNear * std::max(entry.plain, candidate.plain)) {
          return;
        }
        if (Distance(entry.result, candidate.result) > weights::kNear) return;
        found.push_back({candidate.content, ComputeValue(entry.result, candidate.result)});
      };
      size_t seen = 0;
      for (auto c = middle; c != candidates.end() && c->rms <= entry.rms + reach; ++c) {
        if (seen++ == work_bounds::kCandidates) break;
        consider(*c);
      }
      seen = 0;
      for (auto c = middle; c != candidates.begin() && (c - 1)->rms >= entry.rms - reach; --c) {
        if (seen++ == work_bounds::kCandidates) break;
        consider(*(c - 1));
      }
      KeepBest(found, weights::kMostQueued);
      for (const Nearness& near : found) {
        pairs.push_back({entry.content, near.content, near.value});
      }
    }
  }
  const auto contents = static_cast<size_t>(index_.contents);
  near_left_ = Csr<Nearness>(
      contents, pairs, [](const NearPair& pair) { return pair.left; },
      [](const NearPair& pair) {
        return Nearness{pair.right, pair.value};
      });
  near_right_ = Csr<Nearness>(
      contents, pairs, [](const NearPair& pair) { return pair.right; },
      [](const NearPair& pair) {
        return Nearness{pair.left, pair.value};
      });
  for (Csr<Nearness>* const near : {&near_left_, &near_right_}) {
    near->KeepFirst(weights::kMostQueued, IsBetter);
  }
}

}  // namespace onnxcmp
