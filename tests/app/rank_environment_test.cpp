#include "app/ranks/rank_environment.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ts::app {
namespace {

base::Result<run::RankPlace> place(const std::map<std::string, std::string>& variables) {
  return place_from([&](const char* name) {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second : std::string();
  });
}

TEST(RankEnvironment, TorchrunSaysAll) {
  const auto found = place({{"RANK", "3"},
                            {"WORLD_SIZE", "8"},
                            {"MASTER_ADDR", "node7"},
                            {"MASTER_PORT", "1234"},
                            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                            {"TORCHELASTIC_RESTART_COUNT", "2"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->size, 8);
  EXPECT_EQ(found->host, "node7");
  EXPECT_EQ(found->port, 1234);
  EXPECT_TRUE(found->store_of_launcher);
  EXPECT_EQ(found->attempt, "2");
}

TEST(RankEnvironment, MpiMeetsOnOneMachine) {
  const auto open_mpi = place({{"OMPI_COMM_WORLD_RANK", "1"},
                               {"OMPI_COMM_WORLD_SIZE", "2"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->host, "127.0.0.1");
  EXPECT_EQ(open_mpi->port, 29500);
  EXPECT_FALSE(open_mpi->store_of_launcher);
  const auto mpich = place({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MASTER_ADDR", "a"}});
  ASSERT_TRUE(mpich);
  EXPECT_EQ(mpich->size, 4);
  const auto apart = place({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  ASSERT_FALSE(apart);
  EXPECT_NE(apart.error().sentence.find("MASTER_ADDR"), std::string::npos);
}

TEST(RankEnvironment, SlurmNamesTheFirstHost) {
  const auto found = place(
      {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}, {"SLURM_STEP_NODELIST", "node[03-05],gpu1"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, "node03");
  EXPECT_EQ(first_host("node7"), "node7");
  EXPECT_EQ(first_host("a1,b2"), "a1");
  EXPECT_EQ(first_host("rack2-n[12,14-16]"), "rack2-n12");
  EXPECT_EQ(first_host(""), "");
}

TEST(RankEnvironment, NonsenseIsRefused) {
  EXPECT_FALSE(place({}));
  EXPECT_FALSE(place({{"RANK", "0"}}));
  for (const char* const rank : {"2", "-1", "x", "1 ", "0x1"}) {
    const auto found = place({{"RANK", rank}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}});
    ASSERT_FALSE(found) << rank;
    EXPECT_NE(found.error().sentence.find("RANK"), std::string::npos);
  }
  EXPECT_FALSE(place({{"RANK", "0"}, {"WORLD_SIZE", "0"}, {"MASTER_ADDR", "a"}}));
  EXPECT_FALSE(
      place({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "65536"}}));
}

}  // namespace
}  // namespace ts::app
