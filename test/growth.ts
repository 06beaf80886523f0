/** The processor time of this process that some work takes, in microseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * How many times as much processor time `work(many)` takes as `work(few)`. What else happens in a process (a collection of memory, a function
 * that is compiled) only adds to it, so the least of several counts; what is less than `most` is not measured again.
 */
export async function growth(
  work: (count: number) => unknown,
  { few, many, most }: { few: number; many: number; most: number },
): Promise<number> {
  await work(few);
  const least = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 2; i++) least.few = Math.min(least.few, await timeOf(() => work(few)));
    least.many = Math.min(least.many, await timeOf(() => work(many)));
    if (least.many < most * least.few) break;
  }
  return least.many / least.few;
}
