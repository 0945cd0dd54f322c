#include "samples/figures/task_figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr const char* kTaskNames[] = {"classes", "segmentation", "tokens",
                                      "ids",     "regression",   "boxes"};
constexpr size_t kFive = 5;

// Scores of some decisions: rows of classes, one after the other.
struct Scores {
  int64_t classes = 0;
  std::vector<double> rows;

  int64_t size() const { return classes == 0 ? 0 : static_cast<int64_t>(rows.size()) / classes; }
  absl::Span<const double> row(int64_t i) const {
    return absl::MakeConstSpan(rows).subspan(static_cast<size_t>(i * classes),
                                             static_cast<size_t>(classes));
  }
};

// The axis of the classes last.
Scores ScoresOf(Task task, const Tensor& output) {
  Scores scores;
  scores.rows = ElementsOf(output);
  if (task != Task::kSegmentation) {
    scores.classes = output.rank() == 0 ? 1 : output.shape().back();
    return scores;
  }
  scores.classes = output.dim(1);
  const int64_t pixels = output.dim(2) * output.dim(3);
  const std::vector<double> planes = std::move(scores.rows);
  scores.rows.resize(planes.size());
  for (int64_t image = 0; image < output.dim(0); ++image) {
    const int64_t first = image * scores.classes * pixels;
    for (int64_t c = 0; c < scores.classes; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        scores.rows[static_cast<size_t>(first + p * scores.classes + c)] =
            planes[static_cast<size_t>(first + c * pixels + p)];
      }
    }
  }
  return scores;
}

// The class with the greatest score, the first of equal ones; one score alone decides by its sign.
// None, -1, if one is NaN.
int64_t Decision(absl::Span<const double> row) {
  if (std::any_of(row.begin(), row.end(), [](double score) { return std::isnan(score); }))
    return -1;
  if (row.size() == 1) return row[0] > 0 ? 1 : 0;
  return std::max_element(row.begin(), row.end()) - row.begin();
}

// True if a class is among the five greatest scores.
bool IsAmongFive(absl::Span<const double> row, int64_t of_class) {
  const double score = row[static_cast<size_t>(of_class)];
  return std::count_if(row.begin(), row.end(), [&](double other) { return other > score; }) <
         static_cast<std::ptrdiff_t>(kFive);
}

double Margin(absl::Span<const double> row) {
  const int64_t decision = Decision(row);
  if (decision < 0) return std::numeric_limits<double>::quiet_NaN();
  const auto best = static_cast<size_t>(decision);
  double second = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < row.size(); ++i) {
    if (i != best) second = std::max(second, row[i]);
  }
  return row[std::min(best, row.size() - 1)] - second;
}

// Logarithms of the probabilities: scores that already are some stay.
std::vector<double> LogProbabilities(absl::Span<const double> row) {
  constexpr double kRounding = 1e-3;
  double sum = 0;
  bool negative = false;
  for (const double score : row) {
    sum += score;
    negative = negative || score < 0;
  }
  std::vector<double> logs(row.begin(), row.end());
  if (!negative && std::abs(sum - 1) < kRounding) {
    for (double& log : logs) log = std::log(std::max(log, std::numeric_limits<double>::min()));
    return logs;
  }
  const double greatest = *std::max_element(row.begin(), row.end());
  double total = 0;
  for (const double score : row) total += std::exp(score - greatest);
  for (double& log : logs) log -= greatest + std::log(total);
  return logs;
}

// Kullback-Leibler divergence of the right's probabilities from the left's, in nats.
double Divergence(absl::Span<const double> left, absl::Span<const double> right) {
  const std::vector<double> p = LogProbabilities(left);
  const std::vector<double> q = LogProbabilities(right);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double probability = std::exp(p[i]);
    if (probability > 0) sum += probability * (p[i] - q[i]);
  }
  return sum < 0 ? 0 : sum;  // NaN stays
}

// The edits that make one sequence of the other: insertions, deletions, substitutions.
int64_t EditsBetween(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t here = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({here, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

double ShareOf(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

void AddCounts(const std::map<int64_t, int64_t>& from, std::map<int64_t, int64_t>* to) {
  for (const auto& [key, count] : from) (*to)[key] += count;
}

}  // namespace

absl::string_view TaskName(Task task) { return kTaskNames[static_cast<size_t>(task)]; }

absl::StatusOr<Task> TaskOfName(absl::string_view name) {
  const auto* const it = std::find(std::begin(kTaskNames), std::end(kTaskNames), name);
  if (it != std::end(kTaskNames)) return static_cast<Task>(it - std::begin(kTaskNames));
  return absl::InvalidArgumentError(
      absl::StrCat("`", name, "` is no task: ", absl::StrJoin(kTaskNames, ", ")));
}

std::optional<Task> TaskOf(const Tensor& output) {
  if (IsInteger(output.dtype())) return Task::kIds;
  if (!IsFloatingPoint(output.dtype())) return std::nullopt;
  const bool several = output.rank() >= 2 && output.dim(1) >= 2;
  if (output.rank() == 2 && several) return Task::kClasses;
  if (output.rank() == 3 && output.dim(2) >= 2) return Task::kTokens;
  if (output.rank() == 4 && several && output.dim(2) > 1 && output.dim(3) > 1) {
    return Task::kSegmentation;
  }
  return Task::kRegression;
}

double McNemar(int64_t only_left, int64_t only_right) {
  const int64_t all = only_left + only_right;
  const int64_t fewer = std::min(only_left, only_right);
  // Twice the tail of the binomial distribution with one half, by its logarithms.
  double tail = 0;
  const double log_all =
      std::lgamma(static_cast<double>(all) + 1) - static_cast<double>(all) * std::log(2.0);
  for (int64_t k = 0; k <= fewer; ++k) {
    tail += std::exp(log_all - std::lgamma(static_cast<double>(k) + 1) -
                     std::lgamma(static_cast<double>(all - k) + 1));
  }
  return std::min(2 * tail, 1.0);
}

absl::Status TaskFigures::CheckLabel(Task task, double label, const Tensor& output) {
  if (task == Task::kRegression) return absl::OkStatus();
  const bool whole = label == std::floor(label) && label >= 0;
  const bool known = task != Task::kClasses || label < static_cast<double>(output.shape().back());
  if (whole && known) return absl::OkStatus();
  return absl::InvalidArgumentError(
      task == Task::kClasses
          ? absl::StrCat("label ", label, " is none of ", output.shape().back(), " classes")
          : absl::StrCat("label ", label, " is no class"));
}

bool TaskFigures::Add(int64_t sample, const PerSide<Tensor>& outputs,
                      const std::optional<double>& label) {
  if (task_ == Task::kIds) return AddIds(outputs, label);
  if (task_ == Task::kBoxes) {
    return AddBoxes(sample, MatchBoxes({.boxes = &outputs.left}, {.boxes = &outputs.right}));
  }
  if (task_ != Task::kRegression) return AddScores(sample, outputs, label);
  AddNumbers(outputs, label);
  return true;
}

bool TaskFigures::AddScores(int64_t sample, const PerSide<Tensor>& outputs,
                            const std::optional<double>& label) {
  const PerSide<Scores> scores = {ScoresOf(task_, outputs.left), ScoresOf(task_, outputs.right)};
  PerSide<std::vector<int64_t>> decided;
  double divergence = 0, margin = 0;
  bool alike = true;
  for (int64_t i = 0; i < scores.left.size(); ++i) {
    const PerSide<absl::Span<const double>> rows = {scores.left.row(i), scores.right.row(i)};
    for (const SideId side : kBothSides) decided[side].push_back(Decision(rows[side]));
    const int64_t left = decided.left.back(), right = decided.right.back();
    ++decisions_;
    alike_ += left == right ? 1 : 0;
    alike = alike && left == right;
    if (rows.left.size() > kFive) {
      ++of_many_;
      among_five_ += left >= 0 && right >= 0 && IsAmongFive(rows.right, left) ? 1 : 0;
    }
    divergence += Divergence(rows.left, rows.right);
    margin += Margin(rows.left);
    if (task_ == Task::kSegmentation) {
      ++pixels_.left[left];
      ++pixels_.right[right];
      if (left == right) ++both_[left];
    }
  }
  if (scores.left.size() == 0) return true;
  const auto rows = static_cast<double>(scores.left.size());
  divergence_.Add(sample, divergence / rows);
  margin_.Add(sample, margin / rows);
  if (task_ == Task::kTokens) AddEdits(decided);
  if (label.has_value() && task_ == Task::kClasses) {
    AddLabel({static_cast<double>(decided.left[0]) == *label,
              static_cast<double>(decided.right[0]) == *label});
  }
  return alike;
}

bool TaskFigures::AddIds(const PerSide<Tensor>& outputs, const std::optional<double>& label) {
  PerSide<std::vector<int64_t>> ids;
  for (const SideId side : kBothSides) {
    for (const double number : ElementsOf(outputs[side])) {
      ids[side].push_back(static_cast<int64_t>(number));
    }
  }
  int64_t alike = 0;
  for (size_t i = 0; i < ids.left.size(); ++i) alike += ids.left[i] == ids.right[i] ? 1 : 0;
  decisions_ += static_cast<int64_t>(ids.left.size());
  alike_ += alike;
  AddEdits(ids);
  if (label.has_value() && ids.left.size() == 1) {
    AddLabel(
        {static_cast<double>(ids.left[0]) == *label, static_cast<double>(ids.right[0]) == *label});
  }
  return alike == static_cast<int64_t>(ids.left.size());
}

void TaskFigures::AddNumbers(const PerSide<Tensor>& outputs, const std::optional<double>& label) {
  const std::vector<double> left = ElementsOf(outputs.left);
  const std::vector<double> right = ElementsOf(outputs.right);
  for (size_t i = 0; i < left.size(); ++i) {
    const double apart = right[i] - left[i];
    if (!std::isfinite(left[i] * left[i]) || !std::isfinite(apart * apart)) {
      // NaN beside NaN, an infinity beside itself, are no difference.
      const bool same = left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]));
      not_finite_ += same ? 0 : 1;
      continue;
    }
    ++numbers_;
    lefts_.Add(left[i]);
    squares_.Add(left[i] * left[i]);
    differences_.Add(apart * apart);
  }
  if (!label.has_value() || left.size() != 1) return;
  const PerSide<double> off = {left[0] - *label, right[0] - *label};
  if (!std::isfinite(off.left * off.left) || !std::isfinite(off.right * off.right)) return;
  ++labelled_;
  for (const SideId side : kBothSides) from_label_[side].Add(off[side] * off[side]);
}

bool TaskFigures::AddBoxes(int64_t sample, const BoxMatches& matches) {
  const auto matched = static_cast<int64_t>(matches.overlaps.size());
  decisions_ += std::max(matches.left, matches.right);
  alike_ += matched;
  boxes_ += matches.left + matches.right;
  double sum = 0;
  for (const double overlap : matches.overlaps) sum += overlap;
  if (matched > 0) overlap_.Add(sample, sum / static_cast<double>(matched));
  return matched == matches.left && matched == matches.right;
}

void TaskFigures::AddLabel(const PerSide<bool>& right) {
  ++labelled_;
  for (const SideId side : kBothSides) {
    right_ones_[side] += right[side] ? 1 : 0;
    alone_[side] += right[side] && !right[Other(side)] ? 1 : 0;
  }
}

void TaskFigures::AddEdits(const PerSide<std::vector<int64_t>>& ids) {
  if (ids.left.size() < 2) return;
  edits_ += EditsBetween(ids.left, ids.right);
  length_ += static_cast<int64_t>(ids.left.size());
}

void TaskFigures::Add(const TaskFigures& other) {
  decisions_ += other.decisions_;
  alike_ += other.alike_;
  of_many_ += other.of_many_;
  among_five_ += other.among_five_;
  edits_ += other.edits_;
  length_ += other.length_;
  labelled_ += other.labelled_;
  divergence_.Add(other.divergence_);
  margin_.Add(other.margin_);
  overlap_.Add(other.overlap_);
  boxes_ += other.boxes_;
  AddCounts(other.both_, &both_);
  numbers_ += other.numbers_;
  not_finite_ += other.not_finite_;
  lefts_.Add(other.lefts_);
  squares_.Add(other.squares_);
  differences_.Add(other.differences_);
  for (const SideId side : kBothSides) {
    right_ones_[side] += other.right_ones_[side];
    alone_[side] += other.alone_[side];
    AddCounts(other.pixels_[side], &pixels_[side]);
    from_label_[side].Add(other.from_label_[side]);
  }
}

std::map<std::string, double> TaskFigures::Figures() const {
  std::map<std::string, double> figures;
  if (task_ == Task::kBoxes) {
    // No boxes on either side is agreement.
    figures["f1"] = boxes_ == 0 ? 1 : 2 * ShareOf(alike_, boxes_);
    if (overlap_.count() > 0) figures["iou"] = overlap_.mean();
    return figures;
  }
  const bool scores = task_ != Task::kIds && task_ != Task::kRegression;
  if (decisions_ > 0) figures[scores ? "top1" : "equal"] = ShareOf(alike_, decisions_);
  if (scores && decisions_ > 0) {
    if (of_many_ > 0) figures["top5"] = ShareOf(among_five_, of_many_);
    figures["kl"] =
        divergence_.nan() > 0 ? std::numeric_limits<double>::quiet_NaN() : divergence_.mean();
    figures["margin"] = margin_.mean();
  }
  if (length_ > 0) figures["token_errors"] = ShareOf(edits_, length_);
  if (task_ == Task::kSegmentation && !pixels_.left.empty()) {
    double sum = 0;
    int64_t classes = 0;
    PerSide<std::map<int64_t, int64_t>> all = pixels_;
    for (const SideId side : kBothSides) {
      for (const auto& [of_class, count] : pixels_[side]) all[Other(side)].try_emplace(of_class, 0);
    }
    for (const auto& [of_class, left] : all.left) {
      const auto both = both_.find(of_class);
      const int64_t shared = both == both_.end() ? 0 : both->second;
      sum += ShareOf(shared, left + all.right.at(of_class) - shared);
      ++classes;
    }
    figures["miou"] = sum / static_cast<double>(classes);
  }
  if (numbers_ > 0) {
    const auto count = static_cast<double>(numbers_);
    const double mean = lefts_.Total() / count;
    const double spread = squares_.Total() - count * mean * mean;
    figures["rmse"] = std::sqrt(differences_.Total() / count);
    if (spread > 0) figures["r2"] = 1 - differences_.Total() / spread;
  }
  if (not_finite_ > 0) {
    figures["rmse"] = figures["r2"] = std::numeric_limits<double>::quiet_NaN();
  }
  if (labelled_ > 0 && task_ == Task::kRegression) {
    figures["rmse_left"] = std::sqrt(from_label_.left.Total() / static_cast<double>(labelled_));
    figures["rmse_right"] = std::sqrt(from_label_.right.Total() / static_cast<double>(labelled_));
  } else if (labelled_ > 0) {
    figures["accuracy_left"] = ShareOf(right_ones_.left, labelled_);
    figures["accuracy_right"] = ShareOf(right_ones_.right, labelled_);
    figures["accuracy_drop"] = figures["accuracy_left"] - figures["accuracy_right"];
    figures["p"] = McNemar(alone_.left, alone_.right);
  }
  return figures;
}

}  // namespace onnxcmp
