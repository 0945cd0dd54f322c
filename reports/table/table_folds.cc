#include "reports/table/table_folds.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "prove/rewrites.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

constexpr size_t kRelations = static_cast<size_t>(Relation::kRightOnly) + 1;
constexpr auto kNouns = std::to_array<const char*>({"initializer", "input", "result", "output"});
constexpr size_t kKinds = kNouns.size();

struct Facts {
  std::array<int64_t, kRelations> relations = {};
  std::array<int64_t, kKinds> kinds = {};
  int64_t rows = 0;
  int64_t downstream = 0;  // number of different rows after a cause
  int64_t of(Relation relation) const { return relations[static_cast<size_t>(relation)]; }
};

const char* Verb(Relation relation, bool one) {
  switch (relation) {
    case Relation::kSame:
      return one ? "has the same bits" : "have the same bits";
    case Relation::kClose:
      return one ? "is within tolerance" : "are within tolerance";
    case Relation::kDifferent:
      return one ? "differs" : "differ";
    case Relation::kLeftOnly:
      return one ? "is only left" : "are only left";
    case Relation::kRightOnly:
      return one ? "is only right" : "are only right";
  }
  return "";
}

std::string Nouns(const Facts& facts, bool more) {
  std::vector<std::string> parts;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (facts.kinds[kind] == 0) continue;
    parts.push_back(Count(facts.kinds[kind], more && parts.empty()
                                                 ? absl::StrCat("more ", kNouns[kind])
                                                 : kNouns[kind]));
  }
  return absl::StrJoin(parts, ", ");
}

// The sign of a line whose rows may have several relations.
std::optional<Relation> SignOf(const Facts& facts) {
  if (facts.of(Relation::kDifferent) > 0) return Relation::kDifferent;
  const int64_t one_sided = facts.of(Relation::kLeftOnly) + facts.of(Relation::kRightOnly);
  if (one_sided == 0) {
    return facts.of(Relation::kClose) > 0 ? Relation::kClose : Relation::kSame;
  }
  if (facts.of(Relation::kLeftOnly) == facts.rows) return Relation::kLeftOnly;
  if (facts.of(Relation::kRightOnly) == facts.rows) return Relation::kRightOnly;
  return std::nullopt;
}

}  // namespace

// "in loop_1[4..99]", "in 400 iterations of loop_1", or "".
std::string TableFolds::Where(size_t begin, size_t end, bool different_only) const {
  absl::string_view loop;
  int64_t least = 0;
  int64_t most = 0;
  absl::flat_hash_set<int64_t> iterations;
  for (size_t i = begin; i < end; ++i) {
    const ComparedRow& row = comparison_.rows[i];
    if (different_only && row.relation != Relation::kDifferent) continue;
    absl::string_view its_loop;
    int64_t iteration = 0;
    if (!IterationOf(PathOf(comparison_, row), &its_loop, &iteration)) return "";
    if (iterations.empty()) {
      loop = its_loop;
      least = most = iteration;
    } else if (loop != its_loop) {
      return "";
    }
    least = std::min(least, iteration);
    most = std::max(most, iteration);
    iterations.insert(iteration);
  }
  if (iterations.empty()) return "";
  const std::string name = PrintableText(loop);
  if (iterations.size() == 1) return absl::StrCat(", in ", name, "[", least, "]");
  if (static_cast<int64_t>(iterations.size()) == most - least + 1) {
    return absl::StrCat(", in ", name, "[", least, "…", most, "]");
  }
  return absl::StrCat(", in ", iterations.size(), " iterations of ", name);
}

TableLine TableFolds::Fold(size_t begin, size_t end) {
  Facts facts;
  for (size_t i = begin; i < end; ++i) {
    const ComparedRow& row = comparison_.rows[i];
    ++facts.rows;
    ++facts.relations[static_cast<size_t>(row.relation)];
    ++facts.kinds[static_cast<size_t>(FaceOf(comparison_, row).kind)];
    if (row.relation == Relation::kDifferent && facts_.downstream[i]) ++facts.downstream;
  }
  TableLine line;
  line.kind = TableLine::Kind::kFold;
  line.sign = SignOf(facts);
  if (comparison_.proof != nullptr) line.proof = RowProofOf(comparison_, begin);
  for (size_t i = begin; i < end; ++i) {
    if (line.proof != RowProofOf(comparison_, i)) line.proof.reset();
  }
  const int64_t different = facts.of(Relation::kDifferent);
  const char* behind = different > 0 && facts.downstream == different
                           ? comparison_.causes.size() == 1 ? ", all downstream of the cause"
                                                            : ", all downstream of causes"
                           : "";
  const std::string where = Where(begin, end, false);
  for (size_t k = 0; k < kRelations; ++k) {
    if (facts.relations[k] != facts.rows) continue;
    const bool more = seen_[k] && static_cast<Relation>(k) != Relation::kSame;
    line.text = absl::StrCat(Nouns(facts, more), " ",
                             Verb(static_cast<Relation>(k), facts.rows == 1), behind, where);
  }
  if (line.text.empty()) {
    std::vector<std::string> parts;
    const auto add = [&](Relation relation, const char* what) {
      if (facts.of(relation) > 0) parts.push_back(absl::StrCat(facts.of(relation), " ", what));
    };
    if (different > 0) {
      parts.push_back(absl::StrCat(different,
                                   seen_[static_cast<size_t>(Relation::kDifferent)] ? " more" : "",
                                   different == 1 ? " differs" : " differ", behind,
                                   where.empty() ? Where(begin, end, true) : ""));
    }
    add(Relation::kClose, "within tolerance");
    add(Relation::kSame, "the same bits");
    add(Relation::kLeftOnly, "only left");
    add(Relation::kRightOnly, "only right");
    line.text = absl::StrCat(Nouns(facts, false), where, ": ", absl::StrJoin(parts, ", "));
  }
  for (size_t k = 0; k < kRelations; ++k) seen_[k] |= facts.relations[k] > 0;
  return line;
}

}  // namespace onnxcmp
