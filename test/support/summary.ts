import type { Reporter, TestModule } from 'vitest/node';

/** One last line in plain words, for CI logs and the programs that read them. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const flaky: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        count[test.result().state] += 1;
        if (test.diagnostic()?.flaky === true) flaky.push(`${module.relativeModuleId}: ${test.fullName}`);
      }
      if (module.state() === 'failed' && count.failed === 0) count.failed += 1;
    }
    for (const name of flaky) console.log(`flaky, passed at the second try: ${name}`);
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}
