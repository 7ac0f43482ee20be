// Works off jobs that do nothing with plainjob: plainjob.mjs DATABASE FULL|NORMAL WORKERS JOBS
// Prints jobs a second. Workers share one process and one connection, as plainjob's own benchmark
// has them; its queue is filled before the time begins.
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";

const [path, synchronous, workerCount, jobCount] = process.argv.slice(2);
const jobs = Number(jobCount);
const silent = { error() {}, warn() {}, info() {}, debug() {} };

const connection = new Database(path);
const queue = defineQueue({ connection: better(connection), logger: silent });
// plainjob sets NORMAL by itself when it opens.
connection.pragma(`synchronous = ${synchronous}`);
queue.addMany("task", Array.from({ length: jobs }, (_, i) => ({ i })));

let done = 0;
let finish;
const finished = new Promise((resolve) => (finish = resolve));
const workers = Array.from({ length: Number(workerCount) }, () =>
  defineWorker("task", async () => {}, {
    queue,
    logger: silent,
    onCompleted: () => {
      if (++done === jobs) finish(process.hrtime.bigint());
    },
  }),
);
const from = process.hrtime.bigint();
for (const worker of workers) worker.start();
const to = await finished;
console.log(((jobs * 1e9) / Number(to - from)).toFixed(1));
process.exit(0);
