// The medians of what `run` measured, and of the ratios that each turn had: ratios.mjs FIGURES
import { readFileSync } from "node:fs";

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const settings = new Map();
for (const line of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  const [synchronous, workers, who, figure] = line.split(" ");
  const key = `${synchronous} ${workers}`;
  if (!settings.has(key)) settings.set(key, { plainjob: [], leaseproof: [] });
  settings.get(key)[who].push(Number(figure));
}
console.log("setting  workers   plainjob jobs/s   leaseproof jobs/s   ratio (least … most)");
for (const [key, { plainjob, leaseproof }] of settings) {
  const [synchronous, workers] = key.split(" ");
  const ratios = leaseproof.map((figure, turn) => figure / plainjob[turn]);
  console.log(
    `${synchronous.padEnd(8)} ${workers.padStart(7)} ${median(plainjob).toFixed(0).padStart(17)}` +
      ` ${median(leaseproof).toFixed(0).padStart(19)}   ${median(ratios).toFixed(2)}` +
      ` (${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)})`,
  );
}
