// Figures that say what a difference means for the task: of one output over samples.
#ifndef ONNXCMP_SAMPLES_FIGURES_TASK_FIGURES_H_
#define ONNXCMP_SAMPLES_FIGURES_TASK_FIGURES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"
#include "samples/figures/exact_sum.h"
#include "samples/figures/matched_boxes.h"
#include "samples/figures/spread.h"

namespace onnxcmp {

enum class Task : uint8_t {
  kClasses,       // [batch, classes]: scores
  kSegmentation,  // [batch, classes, height, width]: scores of each pixel
  kTokens,        // [batch, positions, vocabulary]: scores of each position
  kIds,           // integers: labels, tokens
  kRegression,    // all other floats
  kBoxes,         // a detector's boxes: FindDetections()
};
absl::string_view TaskName(Task task);  // "classes", "segmentation", ...
// The inverse; InvalidArgument, with all names, for another word.
absl::StatusOr<Task> TaskOfName(absl::string_view name);

// The task of an output of this type and shape; nothing for strings and booleans.
std::optional<Task> TaskOf(const Tensor& output);

// McNemar's test of two classifiers on the same samples: the probability of so uneven a split of
// the samples that one side alone has right, if both are equally good. Exact (binomial, two-sided).
double McNemar(int64_t only_left, int64_t only_right);

class TaskFigures {
 public:
  explicit TaskFigures(Task task) : task_(task) {}

  Task task() const { return task_; }

  // The outputs of one sample, of equal shapes. `label`: the sample's right class, or number.
  // True if both sides decide alike; regression: always.
  bool Add(int64_t sample, const PerSide<Tensor>& outputs, const std::optional<double>& label);
  void Add(const TaskFigures& other);
  // The boxes of one sample. True if all are matched.
  bool AddBoxes(int64_t sample, const BoxMatches& matches);

  // The figures by name, those that there are: top1, top5, kl, margin, miou, token_errors, equal,
  // r2, rmse, f1, iou, accuracy_left, accuracy_right, accuracy_drop, p. Shares are between 0 and 1.
  std::map<std::string, double> Figures() const;

  int64_t decisions() const { return decisions_; }  // rows, pixels, positions
  int64_t alike() const { return alike_; }          // of these, where both decide alike
  // Labelled samples, those that each side has right, and those that it alone has.
  int64_t labelled() const { return labelled_; }
  const PerSide<int64_t>& right_ones() const { return right_ones_; }
  const PerSide<int64_t>& alone() const { return alone_; }
  const Spread& divergence() const { return divergence_; }

  // InvalidArgument if a label is none of this task.
  static absl::Status CheckLabel(Task task, double label, const Tensor& output);

  // As Spread::Visit(), without the task.
  template <typename Archive>
  void Visit(Archive& archive) {
    archive("decisions", decisions_);
    archive("alike", alike_);
    archive("of_many", of_many_);
    archive("among_five", among_five_);
    archive("edits", edits_);
    archive("length", length_);
    archive("labelled", labelled_);
    archive("right_left", right_ones_.left);
    archive("right_right", right_ones_.right);
    archive("alone_left", alone_.left);
    archive("alone_right", alone_.right);
    archive("divergence", divergence_);
    archive("margin", margin_);
    archive("overlap", overlap_);
    archive("boxes", boxes_);
    archive("pixels_left", pixels_.left);
    archive("pixels_right", pixels_.right);
    archive("pixels_both", both_);
    archive("numbers", numbers_);
    archive("numbers_not_finite", not_finite_);
    archive("lefts", lefts_);
    archive("squares", squares_);
    archive("differences", differences_);
    archive("from_label_left", from_label_.left);
    archive("from_label_right", from_label_.right);
  }

 private:
  bool AddScores(int64_t sample, const PerSide<Tensor>& outputs,
                 const std::optional<double>& label);
  bool AddIds(const PerSide<Tensor>& outputs, const std::optional<double>& label);
  void AddNumbers(const PerSide<Tensor>& outputs, const std::optional<double>& label);
  void AddLabel(const PerSide<bool>& right);
  void AddEdits(const PerSide<std::vector<int64_t>>& ids);

  Task task_;
  int64_t decisions_ = 0, alike_ = 0;
  int64_t of_many_ = 0, among_five_ = 0;  // decisions among more than five classes
  int64_t edits_ = 0, length_ = 0;
  int64_t labelled_ = 0;
  PerSide<int64_t> right_ones_ = {0, 0}, alone_ = {0, 0};
  Spread divergence_, margin_;
  Spread overlap_;                              // the mean of each sample's pairs of boxes
  int64_t boxes_ = 0;                           // of both sides
  PerSide<std::map<int64_t, int64_t>> pixels_;  // by class
  std::map<int64_t, int64_t> both_;             // pixels of a class on both sides
  // Regression: the left's numbers, their squares, the squares of the differences, the squares of
  // each side's distance from the label.
  int64_t numbers_ = 0;
  int64_t not_finite_ = 0;  // pairs of numbers that differ, one of which is too great or none
  ExactSum lefts_, squares_, differences_;
  PerSide<ExactSum> from_label_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_TASK_FIGURES_H_
