// Fits, crossovers and saturation of random curves against fits_reference.py: exact fractions
// always, SciPy where it can be imported.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/stats/fits.h"
#include "core/stats/student_t.h"

namespace ts::stats {
namespace {

using Values = std::vector<double>;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Curve {
  Values x, y;
};

nlohmann::json as_json(const std::vector<CurvePoint>& curve) {
  auto list = nlohmann::json::array();
  for (const CurvePoint& p : curve) list.push_back({p.x, p.y, p.low, p.high});
  return list;
}

// The answer of the script; null when it fails.
nlohmann::json scipy_reference(const nlohmann::json& asked) {
  const std::filesystem::path stem =
      std::filesystem::path(testing::TempDir()) / ("fits-" + std::to_string(::getpid()));
  const std::string input = stem.string() + "-in.json";
  const std::string output = stem.string() + "-out.json";
  std::ofstream(input) << asked;
  const std::string command = TENSORSCOPE_SYSTEM_PYTHON " '" TENSORSCOPE_FITS_SCRIPT "' < '" +
                              input + "' > '" + output + "'";
  nlohmann::json answer;
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(output);
    answer = nlohmann::json::parse(file, nullptr, false);
  }
  std::filesystem::remove(input);
  std::filesystem::remove(output);
  return answer;
}

class FitsAgainstPython : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    make_curves();
    nlohmann::json asked = {{"fits", nlohmann::json::array()},
                            {"crossovers", nlohmann::json::array()},
                            {"saturations", nlohmann::json::array()}};
    for (const Curve& curve : curves) {
      asked["fits"].push_back({curve.x, curve.y});  // NaN is written as null
      asked["saturations"].push_back({curve.x, curve.y});
    }
    for (const auto& [a, b] : pairs) asked["crossovers"].push_back({as_json(a), as_json(b)});
    answer = scipy_reference(asked);
  }
  void SetUp() override {
    if (std::system(TENSORSCOPE_SYSTEM_PYTHON " -c 'import fractions' 2> /dev/null") != 0) {
      GTEST_SKIP() << "needs python3";
    }
    ASSERT_TRUE(answer.is_object()) << "the script failed";
  }

  static std::vector<Curve> curves;
  static std::vector<std::pair<std::vector<CurvePoint>, std::vector<CurvePoint>>> pairs;
  static nlohmann::json answer;

 private:
  static void make_curves() {
    std::mt19937_64 random(11);
    std::normal_distribution<double> noise(0, 0.08);
    std::uniform_real_distribution<double> slopes(-1, 3);
    for (const std::size_t n : {2U, 3U, 4U, 5U, 8U, 12U, 40U, 103U}) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        Curve curve;
        const double slope = slopes(random);
        for (std::size_t i = 0; i < n; ++i) {
          const double x =
              64 * std::pow(1.31, static_cast<double>(i % 40)) + static_cast<double>(i);
          curve.x.push_back(x);
          curve.y.push_back(1e-3 * std::pow(x, slope) * std::exp(noise(random)));
        }
        // Points as sweeps have them: one that failed, a zero, a negative, an unknown x.
        if (n >= 8) curve.y[2] = kNotANumber;
        if (n >= 8) curve.y[5] = repeat == 0 ? 0.0 : -3.0;
        if (n >= 12) curve.x[7] = kNotANumber;
        curves.push_back(std::move(curve));
      }
    }
    curves.push_back({{}, {}});
    curves.push_back({{256}, {3}});                             // one point
    curves.push_back({{256, 256, 256}, {1, 2, 3}});             // equal x
    curves.push_back({{1, 2, 4}, {7, 7, 7}});                   // equal y
    curves.push_back({{kNotANumber, 2, 0, -1}, {1, 3, 1, 1}});  // one usable point
    curves.push_back({{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {1, 2, 3, 4, 5, 6, 7}});
    curves.push_back({{1, 2, 4, 8, 16, 32}, {100, 195, 370, 610, 660, 655}});  // a knee
    curves.push_back({{1, 3, 9}, {10, 30, 40}});                               // no doublings

    std::uniform_real_distribution<double> part(0, 0.15);
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::pair<std::vector<CurvePoint>, std::vector<CurvePoint>> pair;
      const double slope = slopes(random);
      for (double x = 64; x <= 4096; x *= 2) {
        const auto measured = [&](double y) {
          return CurvePoint{x, y, y * (1 - part(random)), y * (1 + part(random))};
        };
        const double other = std::pow(x / 512, slope) * std::exp(6 * noise(random));
        if (x != 128) pair.first.push_back(measured(std::exp(2 * noise(random))));
        if (x != 1024 || repeat % 2 == 0) pair.second.push_back(measured(other));
      }
      std::shuffle(pair.first.begin(), pair.first.end(), random);
      pairs.push_back(std::move(pair));
    }
  }
};
std::vector<Curve> FitsAgainstPython::curves;
std::vector<std::pair<std::vector<CurvePoint>, std::vector<CurvePoint>>> FitsAgainstPython::pairs;
nlohmann::json FitsAgainstPython::answer;

void expect_close(double value, const nlohmann::json& expected, double tolerance = 1e-9) {
  const double reference_value = expected.get<double>();
  EXPECT_NEAR(value, reference_value, tolerance * (1 + std::abs(reference_value)));
}

TEST_F(FitsAgainstPython, StudentT) {
  for (const auto& [degrees, expected] : answer["t95"].items()) {
    SCOPED_TRACE(degrees);
    expect_close(student_t95(std::stoi(degrees)), expected, 1e-8);
  }
}

TEST_F(FitsAgainstPython, PowerLaws) {
  ASSERT_EQ(answer["fits"].size(), curves.size());
  int fitted = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    SCOPED_TRACE(i);
    const nlohmann::json& expected = answer["fits"][i];
    const auto fit = fit_power_law(curves[i].x, curves[i].y);
    ASSERT_EQ(fit.has_value(), !expected.is_null());
    if (!fit) continue;
    ++fitted;
    EXPECT_EQ(fit->n, expected["n"].get<int>());
    expect_close(fit->slope, expected["slope"]);
    expect_close(std::log(fit->factor), expected["log_factor"]);
    ASSERT_EQ(fit->r2.has_value(), !expected["r2"].is_null());
    if (fit->r2) expect_close(*fit->r2, expected["r2"]);
    ASSERT_EQ(fit->ci95.has_value(), !expected["ci95"].is_null());
    if (fit->ci95) {
      expect_close(fit->ci95->low, expected["ci95"][0], 1e-8);
      expect_close(fit->ci95->high, expected["ci95"][1], 1e-8);
    }
    ASSERT_EQ(fit->residuals.size(), curves[i].x.size());
    std::size_t used = 0;
    for (const double residual : fit->residuals) {
      if (!std::isnan(residual)) expect_close(residual, expected["residuals"].at(used++));
    }
    EXPECT_EQ(used, expected["residuals"].size());
  }
  EXPECT_EQ(fitted, 35);
}

TEST_F(FitsAgainstPython, SciPyRegression) {
  if (!answer["fits"].front().contains("scipy")) GTEST_SKIP() << "SciPy cannot be imported";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (answer["fits"][i].is_null() || !answer["fits"][i].contains("scipy")) continue;
    SCOPED_TRACE(i);
    const nlohmann::json& expected = answer["fits"][i]["scipy"];
    const auto fit = fit_power_law(curves[i].x, curves[i].y);
    expect_close(fit->slope, expected["slope"]);
    if (fit->r2) expect_close(*fit->r2, expected["r2"]);
    if (fit->ci95) expect_close(fit->ci95->high - fit->slope, expected["reach"], 1e-8);
  }
}

TEST_F(FitsAgainstPython, Crossovers) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(i);
    const nlohmann::json& expected = answer["crossovers"][i];
    const auto found = crossovers(pairs[i].first, pairs[i].second);
    ASSERT_EQ(found.size(), expected.size());
    total += found.size();
    for (std::size_t k = 0; k < found.size(); ++k) {
      expect_close(found[k].at, expected[k][0]);
      EXPECT_EQ(found[k].before, expected[k][1].get<double>());
      EXPECT_EQ(found[k].after, expected[k][2].get<double>());
      EXPECT_EQ(found[k].second_is_lower_after, expected[k][3].get<bool>());
    }
  }
  EXPECT_GT(total, 30U) << "the curves should cross";
}

TEST_F(FitsAgainstPython, Saturations) {
  int found = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    SCOPED_TRACE(i);
    const nlohmann::json& expected = answer["saturations"][i];
    const auto knee = saturation(curves[i].x, curves[i].y);
    ASSERT_EQ(knee.has_value(), !expected.is_null());
    if (!knee) continue;
    ++found;
    EXPECT_EQ(knee->at, expected[0].get<double>());
    EXPECT_EQ(knee->y, expected[1].get<double>());
    expect_close(knee->gain, expected[2]);
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace ts::stats
