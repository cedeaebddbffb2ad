// Prints results as `cargo test` does, which `cargo xtask verify` counts.

export default async function* reporter(source) {
  const counts = { passed: 0, failed: 0, ignored: 0 };
  for await (const { type, data } of source) {
    if (type === 'test:diagnostic' && data.message.startsWith('shown: ')) {
      yield `${data.message}\n`;
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      yield data.message;
    }
    const isResult = type === 'test:pass' || type === 'test:fail';
    if (!isResult || data.details.type === 'suite' || data.name.endsWith('.test.js')) continue;
    if (type === 'test:fail') {
      counts.failed += 1;
      const { cause, message } = data.details.error;
      yield `test ${data.name} ... FAILED\n${cause?.stack ?? cause ?? message}\n`;
    } else if (data.skip === undefined) {
      counts.passed += 1;
      yield `test ${data.name} ... ok\n`;
    } else {
      counts.ignored += 1;
      yield `test ${data.name} ... ignored, ${data.skip}\n`;
    }
  }
  const { passed, failed, ignored } = counts;
  const result = failed === 0 ? 'ok' : 'FAILED';
  yield `test result: ${result}. ${passed} passed; ${failed} failed; ${ignored} ignored;\n`;
}
