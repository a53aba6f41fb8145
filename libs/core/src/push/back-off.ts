/** How long to wait after the n-th failure in a row: twice as long each time, spread so that what failed together does not return together. */
export function backOffMs(
  failures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
  random: () => number = Math.random,
): number {
  const middle = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), mostMs);
  return Math.round(middle * (0.75 + random() / 2));
}
