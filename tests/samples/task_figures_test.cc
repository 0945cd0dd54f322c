// Figures of a task against numbers that were worked out by hand or by SciPy.
#include "samples/figures/task_figures.h"

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

Tensor Floats(const Shape& shape, const std::vector<float>& numbers) {
  return Tensor::Of<float>(shape, numbers);
}

TEST(TaskFiguresTest, TasksByTypeAndShape) {
  EXPECT_EQ(TaskOf(Floats({1, 3}, {1, 2, 3})), Task::kClasses);
  EXPECT_EQ(TaskOf(Floats({1, 1}, {1})), Task::kRegression);
  EXPECT_EQ(TaskOf(Floats({2}, {1, 2})), Task::kRegression);
  EXPECT_EQ(TaskOf(Floats({1, 1, 2}, {1, 2})), Task::kTokens);
  EXPECT_EQ(TaskOf(Floats({1, 2, 2, 2}, std::vector<float>(8))), Task::kSegmentation);
  EXPECT_EQ(TaskOf(Tensor::Of<int64_t>({2}, {1, 2})), Task::kIds);
  EXPECT_EQ(TaskOf(Tensor::Of<std::string>({1}, {"a"})), std::nullopt);
  EXPECT_EQ(*TaskOfName("segmentation"), Task::kSegmentation);
  EXPECT_FALSE(TaskOfName("clases").ok());
}

// scipy.stats.binomtest(2, 10, 0.5).pvalue, and of (0, 6), (5, 5).
TEST(TaskFiguresTest, McNemarIsExact) {
  EXPECT_NEAR(McNemar(2, 8), 0.109375, 1e-9);
  EXPECT_NEAR(McNemar(8, 2), 0.109375, 1e-9);
  EXPECT_NEAR(McNemar(0, 6), 0.03125, 1e-9);
  EXPECT_EQ(McNemar(5, 5), 1);
  EXPECT_EQ(McNemar(0, 0), 1);
}

TEST(TaskFiguresTest, Classes) {
  TaskFigures figures(Task::kClasses);
  EXPECT_TRUE(figures.Add(0, {Floats({1, 3}, {1, 3, 2}), Floats({1, 3}, {1, 3, 2.5})}, 1));
  EXPECT_FALSE(figures.Add(1, {Floats({1, 3}, {1, 3, 2}), Floats({1, 3}, {1, 2, 3})}, 1));
  EXPECT_TRUE(figures.Add(2, {Floats({1, 3}, {1, 3, 2}), Floats({1, 3}, {1, 3, 2})}, std::nullopt));
  const auto found = figures.Figures();
  EXPECT_NEAR(found.at("top1"), 2.0 / 3, 1e-12);
  EXPECT_EQ(found.at("accuracy_left"), 1);
  EXPECT_EQ(found.at("accuracy_right"), 0.5);
  EXPECT_EQ(found.at("accuracy_drop"), 0.5);
  EXPECT_EQ(found.at("p"), 1);
  EXPECT_EQ(figures.alone().left, 1);
  EXPECT_EQ(figures.alone().right, 0);
  EXPECT_EQ(found.at("margin"), 1);
  EXPECT_FALSE(found.contains("top5"));
  // scipy.special.rel_entr of the two softmaxes, summed, over three samples.
  EXPECT_NEAR(found.at("kl"), (0.024986720 + 0.420512485) / 3, 1e-8);
  EXPECT_TRUE(TaskFigures::CheckLabel(Task::kClasses, 2, Floats({1, 3}, {1, 3, 2})).ok());
  EXPECT_FALSE(TaskFigures::CheckLabel(Task::kClasses, 3, Floats({1, 3}, {1, 3, 2})).ok());
  EXPECT_FALSE(TaskFigures::CheckLabel(Task::kClasses, 0.5, Floats({1, 3}, {1, 3, 2})).ok());
}

TEST(TaskFiguresTest, WhatIsNoNumberDecidesNothing) {
  const float nan = std::nanf("");
  TaskFigures classes(Task::kClasses);
  EXPECT_FALSE(classes.Add(0, {Floats({1, 2}, {2, 1}), Floats({1, 2}, {nan, nan})}, std::nullopt));
  EXPECT_EQ(classes.Figures().at("top1"), 0);
  TaskFigures numbers(Task::kRegression);
  numbers.Add(0, {Floats({1, 2}, {2, 1}), Floats({1, 2}, {2, nan})}, std::nullopt);
  EXPECT_TRUE(std::isnan(numbers.Figures().at("rmse")));
  EXPECT_TRUE(std::isnan(numbers.Figures().at("r2")));
}

TEST(TaskFiguresTest, FiveOfMany) {
  TaskFigures figures(Task::kClasses);
  // The left's best is the right's fifth, and then its sixth.
  figures.Add(0, {Floats({1, 6}, {9, 0, 0, 0, 0, 0}), Floats({1, 6}, {2, 6, 5, 4, 3, 1})},
              std::nullopt);
  figures.Add(1, {Floats({1, 6}, {9, 0, 0, 0, 0, 0}), Floats({1, 6}, {1, 6, 5, 4, 3, 2})},
              std::nullopt);
  EXPECT_EQ(figures.Figures().at("top5"), 0.5);
  EXPECT_EQ(figures.Figures().at("top1"), 0);
}

TEST(TaskFiguresTest, Segmentation) {
  TaskFigures figures(Task::kSegmentation);
  // Four pixels: the left says 1 0 0 0, the right 1 1 0 0.
  figures.Add(0,
              {Floats({1, 2, 2, 2}, {0, 1, 1, 1, 1, 0, 0, 0}),
               Floats({1, 2, 2, 2}, {0, 0, 1, 1, 1, 1, 0, 0})},
              std::nullopt);
  EXPECT_EQ(figures.Figures().at("top1"), 0.75);
  EXPECT_NEAR(figures.Figures().at("miou"), (0.5 + 2.0 / 3) / 2, 1e-12);
}

TEST(TaskFiguresTest, TokensAndIds) {
  TaskFigures ids(Task::kIds);
  // One is lost in front: one deletion and one insertion.
  EXPECT_FALSE(ids.Add(
      0, {Tensor::Of<int64_t>({1, 4}, {5, 6, 7, 8}), Tensor::Of<int64_t>({1, 4}, {6, 7, 8, 9})},
      std::nullopt));
  EXPECT_EQ(ids.Figures().at("equal"), 0);
  EXPECT_EQ(ids.Figures().at("token_errors"), 0.5);
  TaskFigures tokens(Task::kTokens);
  tokens.Add(0, {Floats({1, 2, 2}, {1, 0, 0, 1}), Floats({1, 2, 2}, {1, 0, 1, 0})}, std::nullopt);
  EXPECT_EQ(tokens.Figures().at("top1"), 0.5);
  EXPECT_EQ(tokens.Figures().at("token_errors"), 0.5);
}

TEST(TaskFiguresTest, Boxes) {
  const Tensor left = Floats({1, 3, 4}, {0, 0, 2, 2, 5, 5, 9, 9, 20, 20, 22, 22});
  // The first moved by a quarter of its width, the second of another class, the third not found.
  const Tensor right = Floats({1, 2, 4}, {5, 5, 9, 9, 0.5, 0, 2.5, 2});
  const Tensor left_classes = Tensor::Of<int64_t>({1, 3}, {1, 2, 3});
  const Tensor right_classes = Tensor::Of<int64_t>({1, 2}, {4, 1});
  const DetectionOutputs found = FindDetections({left_classes, left});
  EXPECT_EQ(found.boxes, 1);
  EXPECT_EQ(found.classes, 0);
  EXPECT_EQ(found.scores, -1);
  EXPECT_EQ(FindDetections({Floats({1, 4}, {1, 2, 3, 4}), Tensor::Of<int64_t>({1}, {3})}).boxes,
            -1);
  const BoxMatches matches = MatchBoxes({&left, &left_classes}, {&right, &right_classes});
  TaskFigures figures(Task::kBoxes);
  EXPECT_FALSE(figures.AddBoxes(0, matches));
  EXPECT_EQ(figures.Figures().at("f1"), 0.4);
  // 3 of 5 squares of a quarter.
  EXPECT_NEAR(figures.Figures().at("iou"), 3.0 / 5, 1e-12);
  // Centers with sizes.
  const Tensor centers = Floats({2, 4}, {10, 10, 4, 4, 1, 1, 2, 2});
  EXPECT_EQ(MatchBoxes({&centers}, {&centers}).overlaps.size(), 2u);
  EXPECT_EQ(MatchBoxes({&centers}, {&centers}).overlaps[1], 1);
}

// sklearn.metrics.r2_score([1, 2, 3, 4], [1, 2, 3, 5]) = 0.8.
TEST(TaskFiguresTest, Regression) {
  TaskFigures figures(Task::kRegression);
  figures.Add(0, {Floats({1, 4}, {1, 2, 3, 4}), Floats({1, 4}, {1, 2, 3, 5})}, std::nullopt);
  EXPECT_NEAR(figures.Figures().at("r2"), 0.8, 1e-12);
  EXPECT_EQ(figures.Figures().at("rmse"), 0.5);
  TaskFigures labelled(Task::kRegression);
  labelled.Add(0, {Floats({1, 1}, {2}), Floats({1, 1}, {5})}, 1);
  EXPECT_EQ(labelled.Figures().at("rmse_left"), 1);
  EXPECT_EQ(labelled.Figures().at("rmse_right"), 4);
}

TEST(TaskFiguresTest, PartsAreTheWhole) {
  const std::vector<PerSide<Tensor>> samples = {
      {Floats({1, 2}, {1, 3}), Floats({1, 2}, {1, 3.25})},
      {Floats({1, 2}, {0.3F, 0.1F}), Floats({1, 2}, {0.1F, 0.2F})},
      {Floats({1, 2}, {7, 3}), Floats({1, 2}, {5, 3})}};
  TaskFigures whole(Task::kClasses), first(Task::kClasses), rest(Task::kClasses);
  for (size_t i = 0; i < samples.size(); ++i) {
    whole.Add(static_cast<int64_t>(i), samples[i], 1);
    (i == 0 ? first : rest).Add(static_cast<int64_t>(i), samples[i], 1);
  }
  rest.Add(first);
  EXPECT_EQ(rest.Figures(), whole.Figures());
}

}  // namespace
}  // namespace onnxcmp
