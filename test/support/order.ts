import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Rooms whose tests compute, and start nothing. */
const computing = /\/test\/(?:dialects|documents|events|outcome|pipeline|redact|terminal)\//;

/**
 * What starts processes comes first, while the workers are small: a start costs as much as the memory of whoever starts. It also waits for
 * them, and what computes afterwards fills every gap.
 */
export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await BaseSequencer.prototype.sort.call(this, files);
    const isComputing = ({ moduleId }: TestSpecification): boolean => computing.test(moduleId);
    return [...sorted.filter((file) => !isComputing(file)), ...sorted.filter(isComputing)];
  }
}
