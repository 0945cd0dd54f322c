#include "compare/sides/counted_parts.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/streams/common_form.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

class PartFinder {
 public:
  PartFinder(const RecordedSide& side, const ResultStream& other, std::set<int64_t> sizes,
             bool at_end, bool keep, ResultStream* stream)
      : side_(side),
        sizes_(std::move(sizes)),
        at_end_(at_end),
        keep_(keep),
        stream_(*stream),
        candidates_(stream->results.size()) {
    for (const StreamResult& result : other.results) {
      contents_.insert(result.fingerprint.content);
      if (!result.shape.has_value() || result.kind == ResultKind::kInitializer) continue;
      shapes_[{result.dtype, *result.shape}].insert(OpTypeOf(result, other));
    }
  }

  absl::Status Find(absl::string_view run, const PairValues::Watch& watch) {
    std::vector<bool> wanted(stream_.results.size());
    for (size_t r = 0; r < wanted.size(); ++r) wanted[r] = !PartsOf(stream_.results[r]).empty();
    OC_RETURN_IF_ERROR(VisitValues(side_, run, watch, wanted, [&](int r, const Value& value) {
      return Look(Index(r), value);
    }));
    for (size_t r = 0; r < candidates_.size(); ++r) Choose(r);
    return absl::OkStatus();
  }

 private:
  struct Candidate {
    CountedPart part;
    Fingerprint fingerprint;
  };

  // The shapes of the other side that a result has but for longer axes, the largest first.
  std::vector<Shape> PartsOf(const StreamResult& result) const {
    std::vector<Shape> parts;
    if (!result.shape.has_value() || shapes_.contains({result.dtype, *result.shape}) ||
        contents_.contains(result.fingerprint.content)) {
      return parts;
    }
    for (const auto& [type, operators] : shapes_) {
      const auto& [dtype, shape] = type;
      bool fits = dtype == result.dtype && shape.size() == result.shape->size();
      for (size_t i = 0; fits && i < shape.size(); ++i) {
        const int64_t own = (*result.shape)[i];
        fits = own == shape[i] || (own > shape[i] && sizes_.contains(own));
      }
      if (fits) parts.push_back(shape);
    }
    absl::c_sort(parts, std::greater<>());
    return parts;
  }

  absl::Status Look(size_t r, const Value& value) {
    const StreamResult& result = stream_.results[r];
    std::vector<Candidate>& candidates = candidates_[r];
    for (const Shape& shape : PartsOf(result)) {
      CountedPart part = {Shape(shape.size(), 0), shape, std::nullopt};
      for (size_t i = 0; at_end_ && i < shape.size(); ++i) {
        part.begin[i] = (*result.shape)[i] - shape[i];
      }
      CommonForm form;
      form.part = std::make_shared<const CountedPart>(part);
      OC_ASSIGN_OR_RETURN(const Value cut, InForm(value, form));
      if (keep_) part.whole = value.tensor();
      candidates.push_back({std::move(part), FingerprintOf(cut)});
      if (!contents_.contains(candidates.back().fingerprint.content)) continue;
      for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != (*result.shape)[i]) lengths_.insert(shape[i]);
      }
    }
    return absl::OkStatus();
  }

  // Greater is likelier: equal bits, the same operator, a length that equal parts have.
  std::tuple<bool, bool, bool> Likelihood(const StreamResult& result,
                                          const Candidate& candidate) const {
    const Shape& shape = candidate.part.shape;
    bool has_length = false;
    for (size_t i = 0; i < shape.size(); ++i) {
      has_length |= shape[i] != (*result.shape)[i] && lengths_.contains(shape[i]);
    }
    return {contents_.contains(candidate.fingerprint.content),
            shapes_.at({result.dtype, shape}).contains(OpTypeOf(result, stream_)), has_length};
  }

  void Choose(size_t r) {
    StreamResult& result = stream_.results[r];
    std::vector<Candidate>& candidates = candidates_[r];
    const auto best = absl::c_max_element(candidates, [&](const Candidate& a, const Candidate& b) {
      return Likelihood(result, a) < Likelihood(result, b);
    });
    if (best == candidates.end()) return;
    const bool equal = contents_.contains(best->fingerprint.content);
    // A constant of that shape may be any.
    if (!equal && result.kind == ResultKind::kInitializer) return;
    result.form.part = std::make_shared<const CountedPart>(std::move(best->part));
    result.fingerprint = best->fingerprint;
  }

  const RecordedSide& side_;
  const std::set<int64_t> sizes_;  // of the longer axes
  const bool at_end_;
  const bool keep_;
  ResultStream& stream_;
  absl::flat_hash_set<Hash128> contents_;  // the other side's
  // The other side's types and shapes, with the operators that give them.
  std::map<std::pair<DType, Shape>, std::set<std::string, std::less<>>> shapes_;
  std::vector<std::vector<Candidate>> candidates_;  // by result
  std::set<int64_t> lengths_;                       // of cut axes, where the bits are equal
};

}  // namespace

absl::Status FindCountedParts(const PerSide<RecordedSide>& sides,
                              const std::vector<LongerInput>& longer, bool keep,
                              const PairValues::Watch& watch,
                              const PerSide<ResultStream*>& streams) {
  const std::optional<bool> at_end = AreLast(longer);
  if (!at_end.has_value()) return absl::OkStatus();
  for (const SideId side : kBothSides) {
    std::set<int64_t> sizes;
    for (const LongerInput& input : longer) {
      if (input.side == side) sizes.insert(input.sizes.begin(), input.sizes.end());
    }
    if (sizes.empty()) continue;
    PartFinder finder(sides[side], *streams[Other(side)], std::move(sizes), *at_end, keep,
                      streams[side]);
    OC_RETURN_IF_ERROR(finder.Find(absl::StrCat(SideName(side), " again"), watch));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
