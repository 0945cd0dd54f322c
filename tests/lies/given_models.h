// Pairs of models for tests that try to get a false "same" out of a comparison.
#ifndef ONNXCMP_TESTS_LIES_GIVEN_MODELS_H_
#define ONNXCMP_TESTS_LIES_GIVEN_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp::testing {

// A model of opset 21 from its graph on, "(float[2] x, float[2] w) => (float[2] y) { ... }", with
// com.microsoft and ai.onnx.ml. Inputs that `constants` has become initializers.
struct GivenModel {
  std::string graph;
  Feeds constants = {};
};

// Null, and a failure of the test, if it cannot be loaded.
std::shared_ptr<const Model> Load(const GivenModel& given);
std::unique_ptr<ModelSide> SideOf(std::shared_ptr<const Model> model, const Feeds& feeds);

// Both on the same inputs, on one thread. A failure of the test if they cannot be run.
Comparison CompareModels(const std::shared_ptr<const Model>& left,
                         const std::shared_ptr<const Model>& right, const Feeds& feeds,
                         CompareOptions options = {});
Comparison CompareModels(const GivenModel& left, const GivenModel& right, const Feeds& feeds,
                         const CompareOptions& options = {});

// Whether the verdict is "same" or "close".
bool Agrees(const Comparison& comparison);

// What the comparison says of each output: for messages.
std::string WhatWasSaid(const Comparison& comparison);

// Every result of a run of the model, by name.
std::vector<std::pair<std::string, Value>> ResultsOf(std::shared_ptr<const Model> model,
                                                     const Feeds& feeds);

// Root of the mean square of b - a against that of a; 1 if shapes or types are others.
double RelativeRms(const Tensor& a, const Tensor& b);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_LIES_GIVEN_MODELS_H_
