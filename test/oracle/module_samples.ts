/** Writes the questions of all module samples as JSON, for module_samples.py to answer. */
import { moduleQuestions, recordingOf } from '../modules/samples.ts';

console.log(JSON.stringify(moduleQuestions().map((question) => ({ ...question, file: recordingOf(question) }))));
