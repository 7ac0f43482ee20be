/* The floor: what any durable queue on SQLite must pay for, in C and by hand.

   Promise: per op two transactions (BEGIN IMMEDIATE ... COMMIT), prepared once, on tables with no
   more than they need:
     lease     find the oldest ready op, make it running with a token, an owner and an expiry (one
               more attempt), and write an event;
     complete  end it where the token is still its own and not expired, and write its result and an
               event.
   No text is made or read at run time, no token is drawn or hashed, no fault is looked for. */
#ifndef LEASEPROOF_BENCH_FLOOR_H
#define LEASEPROOF_BENCH_FLOOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_floor lp_floor;

/* `synchronous` is SQLite's word: "FULL", "NORMAL" or "OFF". NULL where the database cannot be
   made; the file must not exist. A path may be a URI. */
lp_floor *lp_floor_open(const char *path, const char *synchronous);
void lp_floor_close(lp_floor *floor);

/* So many more ready ops, in one transaction. 0, or SQLite's error code. */
int lp_floor_fill(lp_floor *floor, int64_t ops);

/* Leases and completes so many. After each, `done` is called where it is not NULL. 0, or SQLite's
   error code; SQLITE_NOTFOUND when there are fewer. */
int lp_floor_run(lp_floor *floor, int64_t ops, void (*done)(void *), void *told);

#ifdef __cplusplus
}
#endif

#endif
