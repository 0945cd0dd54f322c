// How one figure spreads over samples: mean, deviation, extremes. It keeps no values, and does not
// depend on the order of the samples or on how they were split.
#ifndef ONNXCMP_SAMPLES_FIGURES_SPREAD_H_
#define ONNXCMP_SAMPLES_FIGURES_SPREAD_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "samples/figures/exact_sum.h"

namespace onnxcmp {

class Spread {
 public:
  // Infinite and NaN figures are counted, and are in no mean.
  void Add(int64_t sample, double figure);
  void Add(const Spread& other);

  int64_t count() const { return finite_ + infinite_ + nan_; }
  int64_t finite() const { return finite_; }
  int64_t infinite() const { return infinite_; }  // positive ones: decibels of equal values
  int64_t nan() const { return nan_; }
  // Of the finite figures; infinite if there are none but infinite ones.
  double mean() const;
  // Standard deviation of the samples as a population; 0 below two.
  double deviation() const;

  struct Extreme {
    double figure = 0;
    int64_t sample = 0;  // the first one with it
  };
  // Of figures that are numbers, infinite ones included; nothing if there are none.
  std::optional<Extreme> least() const { return least_; }
  std::optional<Extreme> most() const { return most_; }

  // Finite figures by their whole number, rounded down: a histogram with bins of 1.
  const std::map<int64_t, int64_t>& bins() const { return bins_; }
  // The lower end of the bin that the middle figure is in, infinite ones being the greatest;
  // nothing without figures.
  std::optional<double> median() const;
  // The number of finite figures in bins below this.
  int64_t Below(double figure) const;

  // Calls archive(name, member) for each member, to write or to read them.
  template <typename Archive>
  void Visit(Archive& archive) {
    archive("finite", finite_);
    archive("infinite", infinite_);
    archive("nan", nan_);
    archive("sum", sum_);
    archive("squares", squares_);
    archive("least", least_);
    archive("most", most_);
    archive("bins", bins_);
  }

 private:
  int64_t finite_ = 0, infinite_ = 0, nan_ = 0;
  ExactSum sum_, squares_;
  std::optional<Extreme> least_, most_;
  std::map<int64_t, int64_t> bins_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_SPREAD_H_
