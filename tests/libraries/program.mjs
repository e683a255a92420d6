import { spawn } from 'node:child_process';
import readline from 'node:readline';

/** A program that asks through a library: what it says line by line, and how it ended. */
export class Program {
  answers = new Map();
  counted = undefined;
  complaints = '';
  /** How often it has asked everything, where it goes on asking. */
  rounds = 0;
  #heard;
  #milestones = new Map();

  /** `heard` is told each answer, by flag and context; by default the last of each is kept. */
  constructor(command, environment, heard = (key, answer) => this.answers.set(key, answer)) {
    this.#heard = heard;
    const [file, ...parameters] = command;
    const { HOSTNAME, hostname, ...inherited } = process.env;
    this.process = spawn(file, parameters, { env: { ...inherited, ...environment } });
    this.process.stderr.on('data', (part) => (this.complaints += part));
    this.ended = new Promise((resolve) => {
      this.process.on('error', (error) => resolve(`cannot be started: ${error.message}`));
      this.process.on('exit', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
    });
    readline.createInterface({ input: this.process.stdout }).on('line', (line) => this.#hear(JSON.parse(line)));
  }

  /** Resolves when the program says so, and fails when it ends before or takes too long. */
  async said(milestone, seconds) {
    const { promise } = this.#milestone(milestone);
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, seconds * 1000, `is silent for ${seconds} s`)));
    const over = this.ended.then((how) => how ?? 'ended too early');
    const trouble = await Promise.race([promise, late, over]);
    clearTimeout(timer);
    if (trouble) throw new Error(`Before it said "${milestone}", it ${trouble}. ${this.complaints}`.trim());
  }

  /** Lets it end by itself; answers what is wrong with the end. */
  async dismiss(seconds) {
    this.process.stdin.end();
    const timer = setTimeout(() => this.kill(), seconds * 1000);
    const trouble = await this.ended;
    clearTimeout(timer);
    return trouble;
  }

  kill() {
    this.process.kill('SIGKILL');
  }

  #milestone(name) {
    if (!this.#milestones.has(name)) {
      let resolve;
      const promise = new Promise((done) => (resolve = done));
      this.#milestones.set(name, { promise, resolve });
    }
    return this.#milestones.get(name);
  }

  #hear(line) {
    if (line.flag) {
      const { flag, context, ...answer } = line;
      this.#heard(`${flag} for ${context}`, answer);
    }
    if (line.round) this.rounds = line.round;
    if (line.counted) this.counted = line.counted;
    for (const milestone of ['asked', 'arrived']) {
      if (line[milestone]) this.#milestone(milestone).resolve();
    }
  }
}
