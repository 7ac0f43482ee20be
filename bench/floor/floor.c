#include "bench/floor/floor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { begin, commit, rollback, next, take, end, keep_result, keep_event, bring, count };

static const char *const texts[count] = {
    "BEGIN IMMEDIATE",
    "COMMIT",
    "ROLLBACK",
    "SELECT row FROM op WHERE status = 0 ORDER BY row LIMIT 1",
    "UPDATE op SET status = 1, attempts = attempts + 1, token = ?2, owner = ?3, expires_us = ?4 "
    "WHERE row = ?1 AND status = 0",
    "UPDATE op SET status = 2, token = NULL, owner = NULL, expires_us = NULL WHERE row = ?1 AND "
    "status = 1 AND token = ?2 AND expires_us > ?3",
    "INSERT INTO result (op, data, at_us) VALUES (?1, ?2, ?3)",
    "INSERT INTO event (op, at_us, kind) VALUES (?1, ?2, ?3)",
    "INSERT INTO op (status, attempts) VALUES (0, 0)",
};

static const char *const schema =
    "CREATE TABLE op (row INTEGER PRIMARY KEY, status INTEGER NOT NULL, attempts INTEGER NOT "
    "NULL, token TEXT, owner TEXT, expires_us INTEGER);"
    "CREATE INDEX op_ready ON op (row) WHERE status = 0;"
    "CREATE TABLE result (op INTEGER PRIMARY KEY, data TEXT NOT NULL, at_us INTEGER NOT NULL);"
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, op INTEGER NOT NULL, at_us INTEGER NOT NULL, "
    "kind TEXT NOT NULL);";

/* As long as a token's hash, so that rows are as wide as a queue's have to be. */
static const char token[] = "c1f0e0d5a3b2c4d6e8f7091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e";

struct lp_floor {
  sqlite3 *db;
  sqlite3_stmt *statements[count];
};

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int step(lp_floor *floor, int which) {
  sqlite3_stmt *statement = floor->statements[which];
  const int code = sqlite3_step(statement);
  const int reset = sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : reset != SQLITE_OK ? reset : SQLITE_ERROR;
}

lp_floor *lp_floor_open(const char *path, const char *synchronous) {
  lp_floor *floor = calloc(1, sizeof *floor);
  char pragmas[100];
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  if (floor == NULL) return NULL;
  snprintf(pragmas, sizeof pragmas, "PRAGMA journal_mode = WAL; PRAGMA synchronous = %.10s;",
           synchronous);
  if (sqlite3_open_v2(path, &floor->db, flags, NULL) != SQLITE_OK ||
      sqlite3_exec(floor->db, pragmas, NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(floor->db, schema, NULL, NULL, NULL) != SQLITE_OK) {
    lp_floor_close(floor);
    return NULL;
  }
  for (int i = 0; i < count; ++i) {
    if (sqlite3_prepare_v3(floor->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                           &floor->statements[i], NULL) != SQLITE_OK) {
      lp_floor_close(floor);
      return NULL;
    }
  }
  return floor;
}

void lp_floor_close(lp_floor *floor) {
  for (int i = 0; i < count; ++i) sqlite3_finalize(floor->statements[i]);
  sqlite3_close(floor->db);
  free(floor);
}

int lp_floor_fill(lp_floor *floor, int64_t ops) {
  int code = step(floor, begin);
  for (int64_t i = 0; i < ops && code == SQLITE_OK; ++i) code = step(floor, bring);
  return code != SQLITE_OK ? code : step(floor, commit);
}

static int add_event(lp_floor *floor, int64_t row, int64_t at_us, const char *kind) {
  sqlite3_stmt *event = floor->statements[keep_event];
  sqlite3_bind_int64(event, 1, row);
  sqlite3_bind_int64(event, 2, at_us);
  sqlite3_bind_text(event, 3, kind, -1, SQLITE_STATIC);
  return step(floor, keep_event);
}

static int lease(lp_floor *floor, int64_t *row) {
  int code = step(floor, begin);
  const int64_t at_us = now_us();
  sqlite3_stmt *oldest = floor->statements[next];
  sqlite3_stmt *taken = floor->statements[take];
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(oldest);
  *row = code == SQLITE_ROW ? sqlite3_column_int64(oldest, 0) : 0;
  sqlite3_reset(oldest);
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? SQLITE_NOTFOUND : code;
  sqlite3_bind_int64(taken, 1, *row);
  sqlite3_bind_text(taken, 2, token, -1, SQLITE_STATIC);
  sqlite3_bind_text(taken, 3, "worker", -1, SQLITE_STATIC);
  sqlite3_bind_int64(taken, 4, at_us + 30000000);
  code = step(floor, take);
  if (code == SQLITE_OK) code = add_event(floor, *row, at_us, "leased");
  return code != SQLITE_OK ? code : step(floor, commit);
}

static int complete(lp_floor *floor, int64_t row) {
  int code = step(floor, begin);
  const int64_t at_us = now_us();
  sqlite3_stmt *ended = floor->statements[end];
  sqlite3_stmt *result = floor->statements[keep_result];
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(ended, 1, row);
  sqlite3_bind_text(ended, 2, token, -1, SQLITE_STATIC);
  sqlite3_bind_int64(ended, 3, at_us);
  code = step(floor, end);
  if (code == SQLITE_OK && sqlite3_changes(floor->db) != 1) code = SQLITE_MISMATCH;
  sqlite3_bind_int64(result, 1, row);
  sqlite3_bind_text(result, 2, "\"done\"", -1, SQLITE_STATIC);
  sqlite3_bind_int64(result, 3, at_us);
  if (code == SQLITE_OK) code = step(floor, keep_result);
  if (code == SQLITE_OK) code = add_event(floor, row, at_us, "succeeded");
  return code != SQLITE_OK ? code : step(floor, commit);
}

int lp_floor_run(lp_floor *floor, int64_t ops, void (*done)(void *), void *told) {
  for (int64_t i = 0; i < ops; ++i) {
    int64_t row = 0;
    int code = lease(floor, &row);
    if (code == SQLITE_OK) code = complete(floor, row);
    if (code != SQLITE_OK) {
      if (sqlite3_get_autocommit(floor->db) == 0) step(floor, rollback);
      return code;
    }
    if (done != NULL) done(told);
  }
  return SQLITE_OK;
}
