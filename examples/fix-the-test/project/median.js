/** The middle value of a list of numbers; of an even count, the mean of the two in the middle. */
export function median(numbers) {
  const sorted = numbers.toSorted();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
