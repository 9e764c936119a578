import type { Reporter, TestModule } from 'vitest/node';

/** One last line in plain words, for CI logs and the programs that read them. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1;
      if (module.state() === 'failed' && count.failed === 0) count.failed += 1;
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
