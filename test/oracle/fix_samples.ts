/** Writes the programs before and after each fix as JSON, for fix_samples.py to run. */
import { pathToFileURL } from 'node:url';
import { fixSamples } from '../rules/fixes.ts';

console.log(JSON.stringify(await fixSamples(pathToFileURL('test/spec/rules/'))));
