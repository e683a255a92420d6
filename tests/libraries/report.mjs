/** What passed and what failed; the last line is for `run`, which adds up. */
export class Report {
  passed = 0;
  failed = 0;

  /** One check: it passes without complaints. */
  check(name, complaints) {
    if (complaints.length === 0) {
      this.passed += 1;
      return;
    }
    this.failed += 1;
    console.log(`FAILED ${name}`);
    for (const complaint of complaints.slice(0, 20)) console.log(`  ${complaint}`);
    if (complaints.length > 20) console.log(`  and ${complaints.length - 20} more`);
  }

  conclude() {
    console.log(`The libraries: ${this.passed} checks passed, ${this.failed} failed`);
    return this.failed === 0;
  }
}
