import { keepDescriptor } from './keep-descriptor.js';

keepDescriptor();
