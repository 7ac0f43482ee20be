/* The floor by itself:  leaseproof_floor DATABASE FULL|NORMAL|OFF OPS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/floor/floor.h"

int main(int argc, char **argv) {
  struct timespec from;
  struct timespec to;
  if (argc != 4 || atoll(argv[3]) < 1) {
    fprintf(stderr, "usage: leaseproof_floor DATABASE FULL|NORMAL|OFF OPS\n");
    return 2;
  }
  const int64_t ops = atoll(argv[3]);
  lp_floor *floor = lp_floor_open(argv[1], argv[2]);
  if (floor == NULL || lp_floor_fill(floor, ops) != 0) {
    fprintf(stderr, "%s cannot be made; name a database that does not exist yet\n", argv[1]);
    return 3;
  }
  clock_gettime(CLOCK_MONOTONIC, &from);
  const int code = lp_floor_run(floor, ops, NULL, NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  lp_floor_close(floor);
  if (code != 0) {
    fprintf(stderr, "%s: SQLite's error %d\n", argv[1], code);
    return 3;
  }
  const double seconds =
      (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
  printf("%.0f ops/s\n", (double)ops / seconds);
  return 0;
}
